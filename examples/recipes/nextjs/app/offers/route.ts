// A route handler that receives offers.
//   OFFER_SECRETS_FILE=… npx next dev
import { offers } from "../../../receive/offers.ts";

export const POST = (request: Request) => offers(request);
