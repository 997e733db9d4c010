// The entries whose every public name hover.test.ts and check-consumers.ts ask about.
import type * as sdk from "@call-transfer/sdk";
import type * as otel from "@call-transfer/sdk/otel";
import type * as query from "@call-transfer/sdk/query";
import type * as raw from "@call-transfer/sdk/raw";
import type * as webhooks from "@call-transfer/sdk/webhooks";
import type * as postgres from "@call-transfer/sdk/webhooks/postgres";
import type * as redis from "@call-transfer/sdk/webhooks/redis";

export type { otel, postgres, query, raw, redis, sdk, webhooks };
