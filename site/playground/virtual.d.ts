declare module "virtual:playground-runtime" {
  /** The script of the worker. */
  export const text: string;
}

declare module "virtual:playground-programs" {
  /** The texts of the programs by their paths. */
  export const texts: Readonly<Record<string, string>>;
}
