import { z } from "zod";
import type { Backend } from "./backend.ts";
import { assertFault } from "./faults.ts";
import { checkInput, InputError } from "./input-error.ts";
import { checkPolicies } from "./policies.ts";
import { isProblem } from "./problem.ts";
import { readBody } from "./validate.ts";

/** Where the control plane lives; never under the API's own paths. */
export const controlPrefix = "/_control/v1";

interface Reply {
  readonly status?: number;
  readonly body?: unknown;
}
type Route = (backend: Backend, input: unknown) => Reply | Promise<Reply>;

/** A route whose JSON body is checked first. */
function taking<Schema extends z.ZodType>(
  schema: Schema,
  run: (backend: Backend, input: z.output<Schema>) => Reply | Promise<Reply>,
): Route {
  return (backend, input) => run(backend, checkInput(schema, input, "body"));
}

const time = z.union([z.number(), z.string()]);

/** Every route by method and path; those with PUT and POST read a JSON body, `/reset` aside. */
const routes: Readonly<Record<string, Route>> = {
  "GET /health": () => ({ body: { status: "ok" } }),
  "GET /clock": (backend) => ({ body: clockOf(backend) }),
  "PUT /clock": taking(
    z.strictObject({ now: time.exactOptional(), mode: z.enum(["frozen", "flowing"]).exactOptional() }),
    (backend, setting) => {
      backend.clock.set(setting);
      return { body: clockOf(backend) };
    },
  ),
  "POST /clock/advance": taking(
    z.union([
      z.strictObject({ by: z.number() }),
      z.strictObject({ to: time }),
      z.strictObject({ nextTimer: z.literal(true) }),
    ]),
    async (backend, step) => {
      await backend.clock.advance(step);
      return { body: clockOf(backend) };
    },
  ),
  "GET /faults": ({ faults }) => ({ body: { faults: faults.list() } }),
  "POST /faults": ({ faults }, fault) => {
    assertFault(fault);
    return { status: 201, body: { id: faults.add(fault) } };
  },
  "DELETE /faults": ({ faults }) => {
    faults.clear();
    return { status: 204 };
  },
  "POST /webhooks/trigger": taking(z.looseObject({ destinationId: z.string() }), async ({ deliveries }, trigger) => ({
    body: await deliveries.trigger(trigger),
  })),
  "GET /webhooks/deliveries": ({ deliveries }) => ({ body: { deliveries: deliveries.list() } }),
  "POST /auth/tokens": taking(
    z.strictObject({ userId: z.string(), expiresInSecs: z.number().optional(), expired: z.literal(true).optional() }),
    async ({ keys }, options) => ({ status: 201, body: { token: await keys.issueToken(options) } }),
  ),
  "POST /auth/api-keys": taking(
    z.strictObject({
      accountId: z.string().optional(),
      role: z.string().optional(),
      scopes: z.array(z.string()).optional(),
      state: z.enum(["valid", "expired", "revoked"]).optional(),
      expiresAt: time.optional(),
      allowedIps: z.array(z.string()).optional(),
    }),
    ({ keys }, options) => ({ status: 201, body: keys.issueApiKey(options) }),
  ),
  "POST /seed": (backend, seed) => {
    backend.seed(checkInput(z.looseObject({}), seed, "seed"));
    return { status: 204 };
  },
  "POST /reset": (backend) => {
    backend.reset();
    return { status: 204 };
  },
  "GET /policies": ({ policies }) => ({ body: policies }),
  "PUT /policies": taking(z.looseObject({}), ({ policies }, changes) => {
    checkPolicies(changes);
    Object.assign(policies, changes);
    return { body: policies };
  }),
  "GET /requests": ({ journal }) => ({ body: { requests: journal.list() } }),
};

/** Answers a request to the control plane. Errors name the bad field and have the plane's own shape. */
export async function control(backend: Backend, request: Request, url: URL): Promise<Response> {
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== url.origin)
    return failure(403, "forbidden", "The control plane refuses requests from other sites.");
  const name = `${request.method} ${url.pathname.slice(controlPrefix.length)}`;
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (route === undefined)
    return failure(404, "not_found", `There is no ${name}; there are ${Object.keys(routes).join(", ")}.`);
  const hasBody = /^(POST|PUT) (?!\/reset$)/.test(name);
  try {
    const input = hasBody ? await readBody(request, undefined) : { value: undefined };
    if (isProblem(input)) return failure(400, "bad_request", input.problem.detail);
    const { status = 200, body } = await route(backend, input.value);
    return body === undefined ? new Response(null, { status }) : Response.json(body, { status });
  } catch (error) {
    if (error instanceof InputError) return failure(400, "invalid_input", error.message);
    return failure(500, "internal_error", "The control plane failed.");
  }
}

function clockOf({ clock }: Backend): object {
  return { now: clock.iso(), mode: clock.mode, pending: clock.pending };
}

function failure(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status });
}
