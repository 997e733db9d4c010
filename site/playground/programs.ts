/** A program that the playground offers: a file of `examples/`. */
export interface Program {
  /** Its path in the repository. */
  readonly path: string;
  readonly title: string;
}

/** The programs of the playground. It begins with the first. */
export const programs: readonly [Program, ...Program[]] = [
  { path: "examples/retried-call.ts", title: "A call that is retried" },
  { path: "examples/place-a-call.ts", title: "Place a call" },
  { path: "examples/quick-start.ts", title: "Place and list calls" },
  { path: "examples/answer-a-transfer.ts", title: "Answer a transfer" },
  { path: "examples/group-ringing.ts", title: "A group rings" },
  { path: "examples/place-safely.ts", title: "What is known of a call" },
  { path: "examples/place-once.ts", title: "Dial at most once" },
  { path: "examples/errors.ts", title: "Errors" },
  { path: "examples/paging.ts", title: "Paging" },
  { path: "examples/authentication.ts", title: "Keys and tokens" },
  { path: "examples/auth-failures.ts", title: "Refused credentials" },
  { path: "examples/middleware.ts", title: "Middleware" },
  { path: "examples/verify-webhook.ts", title: "Verify a webhook" },
  { path: "examples/receive-offers.ts", title: "Receive offers" },
  { path: "examples/webhook-faults.ts", title: "Webhooks that go wrong" },
  { path: "examples/query.ts", title: "TanStack Query" },
];

/** The name of a program in addresses. */
export const nameOf = ({ path }: Program): string => path.replace(/^.*\/|\.\w+$/g, "");

/** The part of the playground's address that opens a file of `examples/`. Undefined if the playground does not offer it. */
export function playgroundHash(path: string): string | undefined {
  const program = programs.find((each) => each.path === path);
  return program && `#program=${nameOf(program)}`;
}
