const link = /\[([^\]]+)\]\(https:[^)]+\)/g;

/** A text of a document without the addresses of its links, and without what follows its first paragraph. */
export const plainText = (text: string): string => (text.split("\n\n")[0] ?? "").replace(link, "$1");

/** The first paragraph of a description, in which `code` stands between backticks. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <span class="prose" dir="auto">
      {plainText(text)
        .split("`")
        .map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}
    </span>
  );
}
