/** The path prefix of the control plane, apart from the API's own paths. */
export const controlPrefix = "/_control/v1";

/** The path prefix that selects a sandbox; captures its name. */
export const sandboxPrefix = /^\/_sandbox\/([^/]*)(?=\/|$)/;
