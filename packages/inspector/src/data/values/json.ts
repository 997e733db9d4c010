/** The value of a JSON text, or the text itself, which no JSON text is equal to. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
