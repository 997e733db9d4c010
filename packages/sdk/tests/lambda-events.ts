// The events in which AWS passes an HTTP request to a Lambda function, in the shapes of its documentation.

/** An HTTP request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values, in the order of arrival. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

const listsOf = ({ headers }: ReceivedRequest): Record<string, string[]> => {
  const lists: Record<string, string[]> = {};
  for (const [name, value] of headers) lists[name] = [...(lists[name] ?? []), value];
  return lists;
};

const lastOf = (lists: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1) ?? ""]));

const bodyOf = ({ body }: ReceivedRequest, isBase64Encoded: boolean) => ({
  body: Buffer.from(body).toString(isBase64Encoded ? "base64" : "utf8"),
  isBase64Encoded,
});

/** The event of a REST API. Its body is base64 if the API counts the content type as binary. */
export function restEvent(request: ReceivedRequest, isBinary = false) {
  const { method, path } = request;
  const lists = listsOf(request);
  return {
    resource: path,
    path,
    httpMethod: method,
    headers: lastOf(lists),
    multiValueHeaders: lists,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: "111122223333",
      apiId: "b4c7d1e9f2",
      authorizer: null,
      httpMethod: method,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: "198.51.100.7",
        user: null,
        userAgent: null,
        userArn: null,
      },
      path: `/prod${path}`,
      protocol: "HTTP/1.1",
      requestId: "0f5c9e1a-6b57-4d0c-9a51-2f3e7a1c8b44",
      requestTimeEpoch: 1772452800000,
      resourceId: "9k2m4p",
      resourcePath: path,
      stage: "prod",
    },
    ...bodyOf(request, isBinary),
  };
}

/** The event of an HTTP API, in payload format 2.0. Header names are lowercase, and repeated headers are joined. */
export function httpApiEvent(request: ReceivedRequest, isBinary = false) {
  const { method, path } = request;
  const lists = Object.entries(listsOf(request)).map(([name, values]) => [name.toLowerCase(), values.join(",")]);
  return {
    version: "2.0",
    routeKey: `${method} ${path}`,
    rawPath: path,
    rawQueryString: "",
    headers: Object.fromEntries(lists) as Record<string, string>,
    requestContext: {
      accountId: "111122223333",
      apiId: "x3r8t5w1q6",
      domainName: "x3r8t5w1q6.execute-api.eu-central-1.amazonaws.com",
      domainPrefix: "x3r8t5w1q6",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: "198.51.100.7", userAgent: "call-transfer" },
      requestId: "Kx2pQjGeFiAEM7g=",
      routeKey: `${method} ${path}`,
      stage: "$default",
      time: "02/Mar/2026:12:00:00 +0000",
      timeEpoch: 1772452800000,
    },
    ...bodyOf(request, isBinary),
  };
}

/** The event of a function URL: payload format 2.0 with fixed values for what only API Gateway has. */
export function functionUrlEvent(request: ReceivedRequest, isBinary = false) {
  const event = httpApiEvent(request, isBinary);
  const domainPrefix = "q7ugx2m4dzj6vw3kpa5tcn8yre0lhsbf";
  const domainName = `${domainPrefix}.lambda-url.eu-central-1.on.aws`;
  const own = { accountId: "anonymous", apiId: domainPrefix, domainName, domainPrefix, routeKey: "$default" };
  return { ...event, routeKey: "$default", requestContext: { ...event.requestContext, ...own } };
}

/** The event of an Application Load Balancer. Its target group decides which of the two forms headers have. */
export function loadBalancerEvent(request: ReceivedRequest, hasLists: boolean) {
  const { method, path } = request;
  const lists = listsOf(request);
  const arn = "arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/offers/4c2a9e7d1b60f835";
  return {
    requestContext: { elb: { targetGroupArn: arn } },
    httpMethod: method,
    path,
    queryStringParameters: {},
    ...(hasLists ? { multiValueHeaders: lists } : { headers: lastOf(lists) }),
    ...bodyOf(request, false),
  };
}
