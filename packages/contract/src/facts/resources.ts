import { codes, fieldCodes } from "./codes.ts";

/** What the specification says about a field. What is left out is not stated. */
export interface FieldFact {
  /** A type of JSON, `datetime`, the name of a resource, or `list of` one of these. */
  readonly type?: string;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly values?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  /** The operations whose responses show it; a creation shows it too, and no other response does. */
  readonly shownBy?: readonly string[];
  /** Whether there are limits that are not shown. */
  readonly open?: true;
  /** Whether there may be values that are not shown. */
  readonly moreValues?: true;
  /** Whether its meaning is stated, and its name is not. */
  readonly anyName?: true;
  /** The form of the text, or of the items. */
  readonly form?: RegExp;
  /** Texts that the form of the field allows, or of its items. */
  readonly fits?: readonly string[];
  /** Texts that it does not. */
  readonly unfit?: readonly string[];
}

/** A resource or a request body. */
export interface ResourceFact {
  readonly section: string;
  /** Whether requests contain it and all of its required fields are shown, so that no other field may be required. */
  readonly sent?: true;
  readonly fields: Readonly<Record<string, FieldFact>>;
}

type Rules = Omit<FieldFact, "type" | "required">;
const must = (type: string, rules: Rules = {}): FieldFact => ({ type, required: true, nullable: false, ...rules });
const may = (type: string, rules: Rules = {}): FieldFact => ({ type, required: false, nullable: false, ...rules });
/** May be null or left out. */
const orNull = (type: string, rules: Rules = {}): FieldFact => may(type, { ...rules, nullable: true });
/** A field that is shown in part. */
const partly = (fact: FieldFact = {}): FieldFact => fact;

/** The kinds of destination (§2.1, §3). */
const destinationKinds = ["phone", "available_humans", "app"] as const;
/** The strategies of a group (§2.2, §3). */
const strategies = ["simultaneous"] as const;
/** The statuses of a member's availability (§2.4). */
const availabilityStatuses = ["available", "away", "offline"] as const;
/** Who can set a status (§2.4). */
const availabilitySources = ["member", "admin", "auto"] as const;
/** The built-in roles (§2.5, §5.5). */
export const roles = ["agent", "member", "admin", "owner"] as const;

const groupName: Rules = { minLength: 1, maxLength: 100 };
const groupMembers: Rules = { minItems: 1, maxItems: 10 };
const totalTimeout: Rules = { minimum: 5, maximum: 60 };
const ringTimeout: Rules = { minimum: 5, maximum: 45 };

/** Phone numbers use E.164 (§4.6): a plus sign and at most 15 digits, the first not 0. */
const phoneNumber: FieldFact = {
  type: "string",
  fits: ["+15550100001", "+442071838750", "+1234567", `+${"1".repeat(15)}`],
  unfit: ["15550100001", "+05550100001", `+${"1".repeat(16)}`, "+1 555 010 0001", "+1555010000a", ""],
};

/** Every resource (§2) and every body (§4). */
export const resources: Readonly<Record<string, ResourceFact>> = {
  TransferDestination: {
    section: "§2.1",
    fields: {
      id: must("string"),
      name: must("string"),
      kind: must("string", { values: destinationKinds }),
      enabled: must("boolean"),
      config: must("object"),
      createdAt: must("datetime"),
      updatedAt: must("datetime"),
      signingSecret: orNull("string", {
        shownBy: ["rotateDestinationSecret"],
      }),
      signingSecretHint: orNull("string"),
      previousSecretExpiresAt: orNull("datetime"),
    },
  },
  DestinationGroup: {
    section: "§2.2",
    fields: {
      id: must("string"),
      name: must("string", groupName),
      strategy: must("string", {
        values: strategies,
        moreValues: true,
      }),
      totalTimeoutSecs: must("integer", totalTimeout),
      members: must("list of DestinationGroupMember", groupMembers),
      createdAt: must("datetime"),
      updatedAt: must("datetime"),
    },
  },
  DestinationGroupMember: {
    section: "§2.3",
    sent: true,
    fields: {
      destinationId: must("string"),
      ringTimeoutSecs: may("integer", ringTimeout),
    },
  },
  MemberAvailability: {
    section: "§2.4",
    fields: {
      memberId: must("string"),
      userId: must("string"),
      status: must("string", { values: availabilityStatuses }),
      busy: must("boolean"),
      source: orNull("string", {
        values: availabilitySources,
      }),
      reason: orNull("string"),
      until: orNull("datetime"),
      updatedAt: orNull("datetime"),
    },
  },
  RoleDefinition: {
    section: "§2.5",
    fields: {
      role: must("string", { values: roles }),
      permissions: must("list of string", {
        form: /^[^:]+:(?:read|write)$/,
        fits: ["calls:read", "calls:write"],
        unfit: ["calls:delete", "calls:admin", "calls", ":read", "calls:reads", "calls:read,calls:write", ""],
      }),
    },
  },
  ErrorResponse: {
    section: "§2.6",
    fields: {
      code: must("string", { values: Object.keys(codes) }),
      // The statuses of errors, by HTTP.
      status: must("integer", { minimum: 400, maximum: 599 }),
      title: must("string"),
      detail: must("string"),
      errors: orNull("list of FieldError"),
      meta: orNull("ErrorResponseMeta"),
      requestId: orNull("string"),
    },
  },
  FieldError: {
    section: "§2.6",
    fields: {
      field: must("string"),
      code: must("string", { values: fieldCodes }),
      message: must("string"),
    },
  },
  // Other fields: not shown. §8.1 gives the wait in seconds, §7.2 the time of the reset.
  ErrorResponseMeta: {
    section: "§2.6",
    fields: {
      retryAfterSecs: partly({ type: "number", open: true }),
      resetsAt: partly({ type: "datetime", open: true }),
    },
  },
  CreateDestinationGroupRequest: {
    section: "§4.2",
    sent: true,
    fields: {
      name: must("string", groupName),
      members: must("list of DestinationGroupMember", groupMembers),
      strategy: orNull("string", { values: strategies, default: "simultaneous" }),
      totalTimeoutSecs: orNull("integer", { ...totalTimeout, default: 30 }),
    },
  },
  RoleList: { section: "§4.5", fields: { roles: must("list of RoleDefinition") } },
  // The rest of POST /api/v1/calls is not shown (§4.6): other fields, which are required, and limits.
  CreateCallRequest: {
    section: "§4.6",
    fields: {
      flowId: partly({ type: "string" }),
      fromNumber: partly(phoneNumber),
      providerId: partly({ type: "string" }),
      toNumber: partly(phoneNumber),
    },
  },
  // `type` tells the two responses apart, so both must have it (§4.6).
  CallInitiated: {
    section: "§4.6",
    fields: { type: must("string", { values: ["initiated"] }), callId: must("string") },
  },
  CallQueued: {
    section: "§4.6",
    fields: { type: must("string", { values: ["queued"] }), position: partly({ required: true, open: true }) },
  },
  CallList: {
    section: "§4.6",
    fields: { calls: must("list of Call"), meta: must("ListMeta") },
  },
  // The total count (§4.6). A-9: its name.
  ListMeta: { section: "§4.6", fields: { total: must("integer", { open: true, anyName: true }) } },
  // Identifiers are strings (§1).
  Call: {
    section: "§4.6",
    fields: {
      id: must("string"),
      direction: partly({ required: true, open: true }),
      duration: partly({ required: true, open: true }),
    },
  },
};
