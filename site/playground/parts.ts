/** The parts of a stream. A stream cannot be iterated itself in Safari. It is cancelled when the iteration ends early. */
export async function* partsOf<Part>(stream: ReadableStream<Part>): AsyncGenerator<Part, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
