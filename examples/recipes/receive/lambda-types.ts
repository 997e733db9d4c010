// The handler as the types of AWS describe each caller of a function.
import type {
  ALBHandler,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  Handler,
  LambdaFunctionURLHandler,
} from "aws-lambda";
import { handler } from "./lambda.ts";

export const restApi: APIGatewayProxyHandler = handler;
export const httpApi: APIGatewayProxyHandlerV2 = handler;
export const functionUrl: LambdaFunctionURLHandler = handler;
export const loadBalancer: ALBHandler = handler;
export const any: Handler = handler;
