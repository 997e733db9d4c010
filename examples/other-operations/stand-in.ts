// Takes the platform's place, so that contacts.ts runs anywhere.
const contacts = ["Ada", "Grace", "Edsger"].map((name, index) => ({
  id: `c-${index + 1}`,
  name,
  phoneNumber: `+1415555012${index}`,
}));

/** Lists contacts, adds one, or reads one. */
function answer(method: string, url: URL, body: string): [number, object] {
  const [, id] = /^\/api\/v1\/contacts\/([^/]+)$/.exec(url.pathname) ?? [];
  if (method === "POST") {
    const added = { ...JSON.parse(body), id: `c-${contacts.length + 1}` };
    contacts.push(added);
    return [201, added];
  }
  if (id === undefined) {
    const offset = Number(url.searchParams.get("offset") ?? 0);
    const limit = Number(url.searchParams.get("limit") ?? 20);
    const page = contacts.slice(offset, offset + limit);
    return [200, { contacts: page, meta: { total: contacts.length } }];
  }
  const contact = contacts.find((one) => one.id === id);
  const missing = { code: "resource_not_found", detail: `No contact ${id}.` };
  return contact ? [200, contact] : [404, missing];
}

/** Pass it to a client as its `fetch`. */
export const platform: typeof fetch = async (url, init) => {
  const method = init?.method ?? "GET";
  const [status, body] = answer(method, new URL(`${url}`), `${init?.body}`);
  const headers = { "x-request-id": "req-1" };
  return Response.json(body, { status, headers });
};
