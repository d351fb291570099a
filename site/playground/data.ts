/**
 * The data that the build of the site writes into the page of the playground.
 *
 * @module
 */
import { type KeyPair, LEVELS, type Rule } from '../../harness/engine/vector.ts';
import { isKeyPair } from '../../reference/messages.ts';
import { hasMembers, isList, isText } from '../../reference/values.ts';

export interface PlaygroundData {
  readonly rules: readonly Rule[];
  /** The published key pairs of the vectors, which are not secret. */
  readonly testKeys: readonly KeyPair[];
  /** The ids of the rules of each stage, by operation. */
  readonly stages: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** The id of the element that contains the data as JSON. */
export const DATA_ID = 'playground-data';

export function isPlaygroundData(value: unknown): value is PlaygroundData {
  if (!hasMembers(value)) return false;
  const { rules, testKeys, stages } = value;
  return (
    isList(rules) &&
    rules.every(isRule) &&
    isList(testKeys) &&
    testKeys.every(isKeyPair) &&
    hasMembers(stages) &&
    Object.values(stages).every(isStages)
  );
}

function isRule(value: unknown): value is Rule {
  if (!hasMembers(value)) return false;
  const { id, level, text, cites = [], untested = '' } = value;
  const isCited = isList(cites) && cites.every(isText);
  return [id, text, untested].every(isText) && isCited && LEVELS.some((one) => one === level);
}

function isStages(value: unknown): boolean {
  return hasMembers(value) && Object.values(value).every((ids) => isList(ids) && ids.every(isText));
}
