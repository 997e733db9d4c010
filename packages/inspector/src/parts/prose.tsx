/** A sentence of a document, in which `code` stands between backticks. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <span class="prose" dir="auto">
      {text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}
    </span>
  );
}
