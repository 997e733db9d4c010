// Another server may answer a command with JSON too, which no command can read.
import { type ControlClient, controlAnswers } from "@call-transfer/backend/control-client";

/** Makes a client reject successes that do not have what the control plane's document says. */
export function checkAnswers(control: ControlClient, url: string): void {
  control.use({
    async onResponse({ request, response, schemaPath }) {
      const [status, ...fields] = controlAnswers[`${request.method} ${schemaPath}`] ?? [];
      if (!response.ok || status === undefined) return undefined;
      const refuse = (what: string) => {
        const operation = `${request.method} ${new URL(request.url).pathname}`;
        throw new Error(
          `The server at ${url} answered ${operation} with ${what}, so it is not a mock server of this version. Check --url.`,
        );
      };
      if (response.status !== status) refuse(`status ${response.status}`);
      if (fields.length === 0) return undefined;
      const text = await response.text();
      const found = new Map<string, unknown>(Object.entries(Object(JSON.parse(text))));
      const missing = fields.filter((field) => !has(found, field));
      if (missing.length > 0) refuse(`JSON that lacks ${missing.map(nameOf).join(", ")}`);
      return new Response(text, response);
    },
  });
}

/** The name of a field; `[]` at its end says that it is a list. */
const nameOf = (field: string): string => field.replace("[]", "");

function has(found: ReadonlyMap<string, unknown>, field: string): boolean {
  const name = nameOf(field);
  return field === name ? found.get(name) !== undefined : Array.isArray(found.get(name));
}
