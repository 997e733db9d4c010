import { expect, it } from "vitest";
import { pictureIndex } from "../../scripts/pictures/picture-index.ts";

it("the page of pictures has a part for each screen, and shows a picture beside the one that the repository has", () => {
  const page = pictureIndex([
    { screen: "traffic", theme: "light", width: 400, path: "traffic-400-light.png" },
    { screen: "traffic", theme: "light", width: 1280, path: "traffic-1280-light.png", kept: "kept.png" },
    { screen: "clock", theme: "dark", width: 1280, path: "clock-1280-dark.png" },
  ]);
  expect(page.match(/<h2>\w+/g)).toEqual(["<h2>traffic", "<h2>clock"]);
  expect([...page.matchAll(/ src="([^"]+)"/g)].map(([, path]) => path)).toEqual([
    "traffic-400-light.png",
    "traffic-1280-light.png",
    "kept.png",
    "clock-1280-dark.png",
  ]);
});
