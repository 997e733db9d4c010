/** The columns of a terminal; undefined if the stream is not one or reports none, and then nothing is shortened or broken. */
export function terminalWidth(stream: { readonly isTTY?: boolean; readonly columns?: number }): number | undefined {
  return stream.isTTY ? stream.columns || undefined : undefined;
}
