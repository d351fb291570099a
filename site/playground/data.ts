/**
 * The data that the build of the site writes into the page of the playground.
 *
 * @module
 */
import { type KeyPair, LEVELS, type Level, type Rule } from '../../harness/engine/vector.ts';
import { isKeyPair } from '../../reference/messages.ts';
import {
  type Guard,
  isListOf,
  isOptional,
  isRecordOf,
  isShapeOf,
  isText,
} from '../../reference/values.ts';

export interface PlaygroundData {
  readonly rules: readonly Rule[];
  /** The published key pairs of the vectors, which are not secret. */
  readonly testKeys: readonly KeyPair[];
  /** The ids of the rules of each stage, by operation. */
  readonly stages: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** The id of the element that contains the data as JSON. */
export const DATA_ID = 'playground-data';

const isLevel: Guard<Level> = (value): value is Level => LEVELS.some((one) => one === value);

const isRule = isShapeOf<Rule>({
  id: isText,
  level: isLevel,
  text: isText,
  cites: isOptional(isListOf(isText)),
  untested: isOptional(isText),
});

export const isPlaygroundData: Guard<PlaygroundData> = isShapeOf<PlaygroundData>({
  rules: isListOf(isRule),
  testKeys: isListOf(isKeyPair),
  stages: isRecordOf(isRecordOf(isListOf(isText))),
});
