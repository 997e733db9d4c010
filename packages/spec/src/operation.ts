/** Facts about one operation besides its types. */
export interface OperationDescription {
  /** The operationId. */
  readonly id: string;
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path template, e.g. `/api/v1/transfers/members/{memberId}/hours`. */
  readonly path: string;
  /** OpenAPI tag of the operation, e.g. `destination-groups`. */
  readonly tag: string;
  /** Property of the SDK's client with the operation's method, e.g. `destinationGroups`. */
  readonly resource: string;
  /** Name of that method, e.g. `create`. */
  readonly sdkMethod: string;
  /** What the operation does, in a few words. */
  readonly summary: string;
  /** The section of the specification that describes it, such as `§4.1`; absent if it has none. */
  readonly section?: string;
  /** Roles that may call it (§5.5). `self` is the member named in the path. */
  readonly roles: readonly string[];
  /** Scope that an API key needs. */
  readonly scope: string;
  /** Whether a JWT must come with `X-Account-Id` (§5.2). */
  readonly accountScoped: boolean;
  /** When to retry: always (`idempotent`), always since a taken name is refused (`conflict_safe`), or only if it had no effect (`non_idempotent`). */
  readonly idempotency: "idempotent" | "conflict_safe" | "non_idempotent";
  /** Names of the path parameters, in the order of the path. */
  readonly pathParameters: readonly string[];
  /** JSON types of the query parameters, by name. */
  readonly queryParameters: Readonly<Record<string, string>>;
  /** Whether the operation has a request body. */
  readonly hasBody: boolean;
  /** Documented HTTP statuses. */
  readonly statuses: readonly number[];
  /** Documented error codes. */
  readonly errorCodes: readonly string[];
  /** Successful responses with an example body; null for one without a body. */
  readonly successes: readonly { readonly status: number; readonly example: unknown }[];
}

/** Facts about one error code (§7.2). */
export interface ErrorCodeDescription {
  /** HTTP status; null where the specification defines none. */
  readonly status: number | null;
  /** HTTP status that the reference backend uses. */
  readonly mockStatus: number;
  /** Title of the code's category. */
  readonly title: string;
  /** What the code means, in a sentence. */
  readonly meaning: string;
  /** Whether `meaning` comes from the specification, as opposed to an assumption. */
  readonly fromSpecification: boolean;
  /** Whether `errors` in the body lists failing fields. */
  readonly hasFieldErrors: boolean;
  /** Whether the code stands for its status where nothing says more. */
  readonly generic: boolean;
  /** Whether the request had no effect, as assumption A-28 says. */
  readonly noEffect: boolean;
  /** Whether the mock server returns it only through a fault, although operations document it. */
  readonly faultOnly: boolean;
}
