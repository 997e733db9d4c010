// Entry point for the inspector inside an app's page. The build copies it from the inspector's package.
export { type MountedInspector, type MountOptions, mountInspector } from "../../inspector/src/mount.ts";
