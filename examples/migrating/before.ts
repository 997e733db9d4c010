/** A call to place. */
export interface NewCall {
  flowId: string;
  fromNumber: string;
  toNumber: string;
}

/**
 * A client as one writes it by hand: it repeats what fails, and reads a list
 * page by page.
 */
export function createClient(
  baseUrl: string,
  apiKey: string,
  fetch = globalThis.fetch,
) {
  async function request(method: string, path: string, body?: object) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await fetch(`${baseUrl}/api/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${apiKey}`,
            "content-type": "application/json",
          },
          body: body ? JSON.stringify(body) : null,
          signal: AbortSignal.timeout(60_000),
        });
        if (response.status === 429 || response.status >= 500)
          throw new Error(`status ${response.status}`);
        // Not awaited here, so that a refusal is not repeated.
        if (!response.ok)
          return Promise.reject(new Error((await response.json()).code));
        return await response.json();
      } catch (error) {
        if (attempt === 3) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
      }
    }
  }

  return {
    placeCall: (call: NewCall): Promise<{ type: string }> =>
      request("POST", "/calls", call),
    async callIds(): Promise<string[]> {
      const ids: string[] = [];
      for (let total = 1; ids.length < total; ) {
        const { calls, meta } = await request(
          "GET",
          `/calls?limit=2&offset=${ids.length}`,
        );
        ids.push(...calls.map(({ id }: { id: string }) => id));
        total = meta.total;
      }
      return ids;
    },
  };
}
