// The page beside the pictures that `npm run site -- pictures --into FOLDER` takes: each beside the one that the repository has.

/** A picture that was taken. */
export interface Picture {
  readonly screen: string;
  readonly theme: string;
  /** The width of the browser's window, in CSS pixels. */
  readonly width: number;
  /** Its path from the page. */
  readonly path: string;
  /** The path from the page to a copy of what docs/images has for it; undefined if that has none in this width. */
  readonly kept?: string | undefined;
}

const figure = (title: string, path: string): string =>
  `<figure><figcaption>${title}</figcaption><a href="${path}"><img src="${path}" alt="${title}"></a></figure>`;

/** Returns the page as HTML: a part for each screen, with the pictures in the order given. */
export function pictureIndex(pictures: readonly Picture[]): string {
  const screens = [...new Set(pictures.map(({ screen }) => screen))];
  const parts = screens.map((screen) => {
    const figures = pictures
      .filter((picture) => picture.screen === screen)
      .flatMap(({ theme, width, path, kept }) => [
        figure(`${screen}, ${width} px, ${theme}`, path),
        ...(kept === undefined ? [] : [figure(`${screen} in docs/images, ${theme}`, kept)]),
      ]);
    return `<h2>${screen}</h2>\n<div>\n${figures.join("\n")}\n</div>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Pictures of the inspector</title>
<style>
  body { font-family: system-ui, sans-serif; margin: 24px; }
  div { display: flex; flex-wrap: wrap; gap: 16px; align-items: start; }
  figure { margin: 0; }
  img { max-width: min(100%, 640px); border: 1px solid #888; }
</style>
<h1>Pictures of the inspector</h1>
${parts.join("\n")}
</html>
`;
}
