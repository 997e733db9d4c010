// A collection as the files that Postman and Bruno import.
import type { Collection, CollectionRequest, Folder } from "./collections.ts";

const expectation = "answers with a success";

const queryOf = (query: Readonly<Record<string, string>>): string =>
  Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query)}`;

function postmanRequest({ name, docs, method, path, query, headers, body, saves }: CollectionRequest) {
  const tests = [
    `pm.test("${expectation}", () => pm.expect(pm.response.code).to.be.within(200, 299));`,
    ...Object.entries(saves).map(
      ([variable, part]) => `pm.collectionVariables.set("${variable}", pm.response.json().${part});`,
    ),
  ];
  return {
    name,
    event: [{ listen: "test", script: { type: "text/javascript", exec: tests } }],
    request: {
      description: docs,
      method,
      header: Object.entries(headers).map(([key, value]) => ({ key, value })),
      ...(body !== undefined && { body: { mode: "raw", raw: body, options: { raw: { language: "json" } } } }),
      url: {
        raw: `{{baseUrl}}${path}${queryOf(query)}`,
        host: ["{{baseUrl}}"],
        path: path.slice(1).split("/"),
        query: Object.entries(query).map(([key, value]) => ({ key, value })),
      },
    },
  };
}

const postmanFolder = ({ name, docs, folders, requests }: Folder): object => ({
  name,
  description: docs,
  item: [...folders.map(postmanFolder), ...requests.map(postmanRequest)],
});

/** The collection in Postman's format 2.1. */
export function postmanCollection({ name, docs, api, control, variables }: Collection): object {
  return {
    info: { name, description: docs, schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }] },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: "string" })),
    item: [postmanFolder(api), { ...postmanFolder(control), auth: { type: "noauth" } }],
  };
}

const inherited = { mode: "inherit" };

function brunoRequest({ name, docs, method, path, query, headers, body, saves }: CollectionRequest, index: number) {
  const script = Object.entries(saves).map(([variable, part]) => `bru.setVar("${variable}", res.getBody().${part});`);
  return {
    type: "http-request",
    name,
    seq: index + 1,
    request: {
      url: `{{baseUrl}}${path}${queryOf(query)}`,
      method,
      headers: Object.entries(headers).map(([key, value]) => ({ name: key, value, enabled: true })),
      params: Object.entries(query).map(([key, value]) => ({ name: key, value, type: "query", enabled: true })),
      auth: inherited,
      body: body === undefined ? { mode: "none" } : { mode: "json", json: body },
      script: { res: script.join("\n") },
      tests: `test("${expectation}", () => expect(res.getStatus()).to.be.within(200, 299));`,
      docs,
    },
  };
}

const brunoFolder = (auth: object, { name, docs, folders, requests }: Folder, index: number): object => ({
  type: "folder",
  name,
  seq: index + 1,
  root: { request: { auth }, docs },
  items: [...folders.map((folder, at) => brunoFolder(inherited, folder, at)), ...requests.map(brunoRequest)],
});

/** The collection as Bruno exports and imports it, with an environment `mock server`. */
export function brunoCollection({ name, docs, api, control, variables }: Collection): object {
  return {
    version: "1",
    name,
    items: [brunoFolder(inherited, api, 0), brunoFolder({ mode: "none" }, control, 1)],
    environments: [
      {
        name: "mock server",
        variables: Object.entries(variables).map(([key, value]) => ({
          name: key,
          value,
          type: "text",
          enabled: true,
          secret: false,
        })),
      },
    ],
    root: { request: { auth: { mode: "bearer", bearer: { token: "{{apiKey}}" } } }, docs },
    brunoConfig: { version: "1", name, type: "collection", ignore: [] },
  };
}
