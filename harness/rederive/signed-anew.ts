/**
 * Inputs of verify operations in other words, their signatures made again.
 *
 * @module
 */
import { urlEncode } from '../../reference/signing/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import type { Forged, Input } from '../suite/vector.ts';
import { type Asked, forgedSignature, rightSignature, withTexts } from './answer.ts';

/** How words become other words. */
export interface Rewording {
  readonly asked: (asked: Asked) => Asked;
  readonly forged: (forged: Forged) => Forged;
  readonly from: Dialect;
  readonly to: Dialect;
}

/** A signature that an input may carry: as it was, as it is to be. */
interface Carried {
  readonly before: string;
  readonly after: () => string | undefined;
}

/** Private-use characters: no rewording touches them, and no vector has them. */
const FIRST_MARK = 0xf0000;
const STAND_IN = 'signature';

/** How a signature stands in a text: URL-encoded, in lower case too, or as it is. */
const WRITINGS: readonly ((signature: string) => string)[] = [
  urlEncode,
  (signature) => urlEncode(signature).replace(/%../g, (code) => code.toLowerCase()),
  (signature) => signature,
];

/**
 * The input in other words; in verify operations its signature is made again, right or forged as it was.
 *
 * @param related the same request made right, whose signature a malformed one may carry
 */
export function signedAnew(
  asked: Asked,
  forged: Forged | undefined,
  rewording: Rewording,
  related?: Asked,
): Input {
  if (!asked.operation.startsWith('verify-')) return rewording.asked(asked).input;
  const carried = carriedBy(asked, forged, rewording, related);
  const places = carried.flatMap(({ before, after }, i) =>
    WRITINGS.map((written, j) => ({
      old: written(before),
      mark: String.fromCodePoint(FIRST_MARK + i * WRITINGS.length + j),
      fresh: (): string => written(after() ?? before),
    })),
  );
  const marked = withTexts(asked.input, (text) =>
    places.reduce((rest, { old, mark }) => rest.replaceAll(old, mark), text),
  );
  const { input } = rewording.asked({ ...asked, input: marked });
  return withTexts(input, (text) =>
    places.reduce(
      (rest, { mark, fresh }) => (rest.includes(mark) ? rest.replaceAll(mark, fresh()) : rest),
      text,
    ),
  );
}

/** The longest first, since one may be the beginning of another. */
function carriedBy(
  asked: Asked,
  forged: Forged | undefined,
  { asked: reworded, forged: rewordedForged, from, to }: Rewording,
  related: Asked | undefined,
): readonly Carried[] {
  const right = (of: Asked): Carried[] => {
    const before = rightSignature(of, from);
    if (before === undefined) return [];
    const later = (): Asked => reworded(withStandIn(of, before));
    return [{ before, after: () => rightSignature(later(), to) }];
  };
  const wrong = (of: Asked, as: Forged): Carried[] => {
    const before = forgedSignature(of, as, from);
    if (before === undefined) return [];
    const later = (): Asked => reworded(withStandIn(of, before));
    return [{ before, after: () => forgedSignature(later(), rewordedForged(as), to) }];
  };
  return [
    ...(forged ? wrong(asked, forged) : []),
    ...right(asked),
    ...(related ? right(related) : []),
  ].sort((a, b) => b.before.length - a.before.length);
}

/** Whatever signature stands in it, the right one is computed; this one is the same before and after. */
function withStandIn(asked: Asked, before: string): Asked {
  const input = withTexts(asked.input, (text) =>
    WRITINGS.reduce((rest, written) => rest.replaceAll(written(before), STAND_IN), text),
  );
  return { ...asked, input };
}
