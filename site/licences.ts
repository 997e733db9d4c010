import { fileURLToPath } from "node:url";

/** The file with the licences of the packages whose code a build of the site takes in. */
export const siteLicences = fileURLToPath(new URL("../.cache/site-licences.txt", import.meta.url));

/** Its name on the site. */
export const licencesName = "THIRD-PARTY-LICENSES.txt";
