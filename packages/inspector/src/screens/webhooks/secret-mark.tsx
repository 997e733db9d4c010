/** The name of the secret that made a signature, in its colour. */
export function SecretMark({ secret }: { readonly secret: "current" | "previous" | "other" }) {
  return <span class={`secret-mark secret-${secret}`}>{secret}</span>;
}
