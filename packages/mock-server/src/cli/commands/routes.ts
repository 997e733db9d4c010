import { dataOf } from "@call-transfer/backend/control-client";
import { operations } from "@call-transfer/spec";
import { defineCommand } from "../options/command.ts";
import { formatTable } from "../terminal/table.ts";
import { expectAtMost } from "../values/operands.ts";

export const routes = defineCommand({
  name: "routes",
  isList: true,
  summary: "list the operations of the API and of the control plane",
  usages: { routes: "list the operations of the API and of the control plane" },
  options: {},
  async run({ control, operands, terminal }) {
    expectAtMost(0, operands);
    const document = dataOf(await control.GET("/_control/v1/openapi.json")) as unknown as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
    };
    const plane = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== "parameters")
        .map(([method, { operationId }]) => ({ method: method.toUpperCase(), path, operationId })),
    );
    const api = Object.values(operations).map(({ method, path, id }) => ({ method, path, operationId: id }));
    const data = [...api, ...plane];
    const text = formatTable(data, terminal, [
      { title: "method", cell: ({ method }) => method },
      { title: "path", cell: ({ path }) => path, flexible: true },
      { title: "operation", cell: ({ operationId }) => operationId },
    ]);
    return { data, text };
  },
});
