import { requestSchemas, zDestinationGroup } from "@call-transfer/spec/schemas";

const group = zDestinationGroup.shape;
const { strategy, totalTimeoutSecs } = requestSchemas.createDestinationGroup.body.shape;

/** What a group has where nothing is said: the contract's own defaults (§4.2). */
export const groupDefaults = {
  strategy: group.strategy.parse(strategy.def.defaultValue),
  totalTimeoutSecs: group.totalTimeoutSecs.parse(totalTimeoutSecs.def.defaultValue),
};
