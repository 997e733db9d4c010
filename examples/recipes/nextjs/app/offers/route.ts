// A route handler that receives offers.
import { offers } from "../../offers";

export const POST = (request: Request) => offers(request);
