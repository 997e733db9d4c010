// Files that are no modules of TypeScript. Vite takes them in.
declare module "*.css";
declare module "*.css?inline" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: this is what Vite makes of it
  export default text;
}
declare module "*?worker&url" {
  const address: string;
  // biome-ignore lint/style/noDefaultExport: this is what Vite makes of it
  export default address;
}
