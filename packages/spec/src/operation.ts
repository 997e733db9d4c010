/** What the contract says of one operation besides its types. */
export interface OperationDescription {
  /** The operationId. */
  readonly id: string;
  readonly method: string;
  /** Path template, e.g. `/api/v1/transfers/members/{memberId}/hours`. */
  readonly path: string;
  /** The noun whose files hold the operation, e.g. `members`. */
  readonly tag: string;
  /** Property of the SDK's client that holds the method. */
  readonly resource: string;
  readonly sdkMethod: string;
  readonly summary: string;
  /** Who may call it: roles (§5.5), and `self` for the member that the path names. */
  readonly roles: readonly string[];
  /** The scope that an API key needs. */
  readonly scope: string;
  /** Whether a JWT must come with `X-Account-Id` (§5.2). */
  readonly accountScoped: boolean;
  /** When it may be sent again: always, unless a name is taken, or never blindly. */
  readonly retry: "safe" | "unique" | "once";
  readonly pathParameters: readonly string[];
  /** Query parameters with the JSON type that their text stands for. */
  readonly queryParameters: Readonly<Record<string, string>>;
  readonly hasBody: boolean;
  /** Documented statuses. */
  readonly statuses: readonly number[];
  /** Documented error codes. */
  readonly errorCodes: readonly string[];
  /** Each success with an example of its body; null where there is none. */
  readonly successes: readonly { readonly status: number; readonly example: unknown }[];
}

/** What the contract says of one error code (§7.2). */
export interface ErrorCodeDescription {
  /** The HTTP status; null where the specification states none. */
  readonly status: number | null;
  /** The status that the reference backend answers. */
  readonly mockStatus: number;
  /** Title of the code's group. */
  readonly title: string;
  readonly meaning: string;
  /** Whether the meaning is the specification's own. */
  readonly fromSpecification: boolean;
  /** Whether the body's `errors` lists failing fields. */
  readonly hasFieldErrors: boolean;
  /** Whether a request that was answered so left nothing behind. */
  readonly effectFree: boolean;
  /** Whether operations document it although only a fault brings it about. */
  readonly onDemand: boolean;
}
