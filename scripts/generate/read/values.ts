// Values of YAML files: small questions about them, and those that mean something.

/** Whether a value is a text that is not empty. */
export const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
/** A name that a property of a class may have. */
export const isName = (value: unknown): boolean =>
  isText(value) && /^[a-z][a-zA-Z]+$/.test(value) && value !== "constructor";
/** Whether a value is a list. */
export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
/** A value as JSON, for a message. */
export const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";

export const methods = ["get", "put", "post", "delete", "patch"];
/** When an operation answers a code, by what the operation is. */
export type Condition = "every-operation" | "account-scoped" | "role-restricted" | "path-id" | "body" | "query";
