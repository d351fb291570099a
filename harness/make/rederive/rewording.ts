/**
 * Inputs in other words: another dialect, other data, another server. Signatures in them are made again.
 *
 * @module
 */
import { urlEncode } from '../../../reference/signing/index.ts';
import { computeSignature, forgeSignature, replaceTexts } from '../../engine/answer.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Forged, Input } from '../../engine/vector.ts';

/** How a question changes. */
export interface Rewording {
  readonly asked: (asked: Question) => Question;
  readonly forged: (forged: Forged) => Forged;
  readonly from: Dialect;
  readonly to: Dialect;
}

/** A signature that an input may contain, and the one that replaces it. */
interface Replacement {
  readonly before: string;
  readonly after: () => string | undefined;
}

/** Private-use characters: no vector contains them, and no rewording changes them. */
const FIRST_MARK = 0xf0000;
const STAND_IN = 'signature';

/** A text contains a signature URL-encoded, URL-encoded with lower-case escapes, or as it is. */
const ENCODINGS: readonly ((signature: string) => string)[] = [
  urlEncode,
  (signature) => urlEncode(signature).replace(/%../g, (code) => code.toLowerCase()),
  (signature) => signature,
];

/**
 * The input in other words. The signature of a verify operation is made again, correct or forged as before.
 *
 * @param related the corrected request, whose signature a malformed one may contain
 */
export function rewordInput(
  asked: Question,
  forged: Forged | undefined,
  rewording: Rewording,
  related?: Question,
): Input {
  if (!asked.operation.startsWith('verify-')) return rewording.asked(asked).input;
  // Marks protect the places of the signatures, whose letters the rewording would change.
  const places = createReplacements(asked, forged, rewording, related).flatMap(
    ({ before, after }, i) =>
      ENCODINGS.map((encode, j) => ({
        old: encode(before),
        mark: String.fromCodePoint(FIRST_MARK + i * ENCODINGS.length + j),
        fresh: (): string => encode(after() ?? before),
      })),
  );
  const marked = replaceTexts(asked.input, (text) =>
    places.reduce((rest, { old, mark }) => rest.replaceAll(old, mark), text),
  );
  const { input } = rewording.asked({ ...asked, input: marked });
  return replaceTexts(input, (text) =>
    places.reduce(
      (rest, { mark, fresh }) => (rest.includes(mark) ? rest.replaceAll(mark, fresh()) : rest),
      text,
    ),
  );
}

/** The longest signature first, because one may be the beginning of another. */
function createReplacements(
  asked: Question,
  forged: Forged | undefined,
  rewording: Rewording,
  related: Question | undefined,
): readonly Replacement[] {
  const { from, to } = rewording;
  const create = (
    own: Question,
    sign: (asked: Question, dialect: Dialect) => string | undefined,
    signAfter = sign,
  ): readonly Replacement[] => {
    const before = sign(own, from);
    if (before === undefined) return [];
    return [{ before, after: () => signAfter(rewording.asked(withStandIn(own, before)), to) }];
  };
  return [
    ...(forged
      ? create(
          asked,
          (own, dialect) => forgeSignature(own, forged, dialect),
          (own, dialect) => forgeSignature(own, rewording.forged(forged), dialect),
        )
      : []),
    ...create(asked, computeSignature),
    ...(related ? create(related, computeSignature) : []),
  ].sort((a, b) => b.before.length - a.before.length);
}

/** The correct signature does not depend on the one in the input, but the rewording must not change that one. */
function withStandIn(asked: Question, before: string): Question {
  const input = replaceTexts(asked.input, (text) =>
    ENCODINGS.reduce((rest, encode) => rest.replaceAll(encode(before), STAND_IN), text),
  );
  return { ...asked, input };
}
