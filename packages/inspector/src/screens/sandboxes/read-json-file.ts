/** Reads a chosen file as JSON. Says what is wrong with a file that is not JSON; nothing is read of no file. */
export async function readJsonFile(
  file: File | undefined,
): Promise<{ readonly value?: unknown; readonly error?: string }> {
  if (file === undefined) return {};
  try {
    return { value: JSON.parse(await file.text()) };
  } catch {
    return { error: `${file.name} is not JSON. Choose a seed or a snapshot that is.` };
  }
}
