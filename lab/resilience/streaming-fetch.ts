/** Turns the SDK's text into a stream: a body that the runtime cannot keep, and so cannot send again. */
export const streamingFetch: typeof fetch = (url, init = {}) => {
  if (typeof init.body !== "string") return fetch(url, init);
  const streamed = { ...init, body: new Blob([init.body]).stream(), duplex: "half" };
  return fetch(url, streamed);
};
