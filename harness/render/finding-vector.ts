/**
 * A finding as a vector: YAML to paste into a file of its operation.
 *
 * @module
 */
import { Document, isMap, isScalar, isSeq, visit, type visitor } from 'yaml';
import type { Finding } from '../engine/diagnosis/explanation.ts';
import type { Suite, Vector } from '../engine/vector.ts';

/** A placeholder that the author replaces. */
const WHY = 'Say here why an implementation gets this wrong.';

/** The vector that shows the finding, with a guessed id and guessed rules. */
export function findingVector({ vector, verdict, causes }: Finding, suite: Suite): Vector {
  const [cause] = causes;
  const topic = cause?.mistake.id ?? `${vector.operation}-${verdict.status}`;
  const own = suite.vectors.filter(({ operation }) => operation === vector.operation);
  const simplest = own.find(({ id }) => suite.knownGood.includes(id)) ?? own[0];
  const known = new Set(suite.rules.filter(({ untested }) => !untested).map(({ id }) => id));
  const guessed = causes.map(({ mistake }) => mistake.rule).filter((rule) => known.has(rule));
  const rules = guessed.length > 0 ? guessed : (simplest?.rules ?? []).slice(0, 1);
  return { ...vector, id: `is-not-${topic}`, rules: [...new Set(rules)] };
}

/** One item of the list `vectors` of a file. */
export function vectorYaml(vector: Vector): string {
  const { id, rules, keys, input, expect, refuse, control, forged } = vector;
  const isKeyless = keys.publicKey === '' && keys.privateKey === '';
  const item = {
    id,
    rules,
    why: WHY,
    source: 'found by fuzzing; say which section the value follows from',
    ...(!isKeyless && { keys }),
    input,
    ...(expect && { expect }),
    ...(forged && { forged }),
    ...(refuse && { refuse }),
    ...(control && { control }),
  };
  const document = new Document([item], { compat: 'yaml-1.1', aliasDuplicateObjects: false });
  visit(document, STYLE);
  return visible(
    document.toString({
      lineWidth: 0,
      flowCollectionPadding: true,
      doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
    }),
  );
}

/** Writes texts in quotes where they need them, and short lists and maps on one line. */
const STYLE: visitor = {
  Scalar(key, scalar) {
    if (key !== 'key' && typeof scalar.value === 'string') scalar.type = scalarType(scalar.value);
  },
  Seq(_, seq) {
    if (seq.items.every((item) => isScalar(item))) seq.flow = true;
  },
  Map(_, map) {
    if (map.items.length === 1 && isScalar(map.items[0]?.value) && !isSeq(map.items[0]?.value)) {
      map.flow = isMap(map);
    }
  },
};

/** PLAIN for texts that YAML cannot read as anything else, QUOTE_DOUBLE for others. */
function scalarType(text: string): 'PLAIN' | 'QUOTE_DOUBLE' {
  return /^[A-Za-z][A-Za-z0-9+/=_ .:;-]*$/.test(text) &&
    !/: |[: ]$/.test(text) &&
    !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? 'PLAIN'
    : 'QUOTE_DOUBLE';
}

/** Escapes every character that is not printable ASCII. Such characters occur only in double quotes. */
function visible(yaml: string): string {
  return yaml.replace(/[^\x0a\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16).toUpperCase();
    return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
  });
}
