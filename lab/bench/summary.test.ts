import { expect, it } from "vitest";
import { figuresIn } from "./summary.ts";

it("the summary of a benchmark has each row that met or missed a limit, or is behind a peer, and no other", () => {
  const page = `| Figure | Measured | Wanted | |
|---|---|---|---|
| GET | 0.7× | ≥ 0.6× | met |
| POST | 0.4× | ≥ 0.45× | missed |

| On | wanted |
|---|---|
| Node 20 | – |
| Node 24 | ≤ 1.4×, met |

| Figure | ours | Result |
|---|---|---|
| Start | 0.3× | first |
| Size | 19 kB | behind retell-sdk |
`;
  expect(figuresIn(page)).toEqual([
    { verdict: "met", text: "GET  0.7×  ≥ 0.6×  met" },
    { verdict: "missed", text: "POST  0.4×  ≥ 0.45×  missed" },
    { verdict: "met", text: "Node 24  ≤ 1.4×, met" },
    { verdict: "behind", text: "Size  19 kB  behind retell-sdk" },
  ]);
});
