/**
 * The forged requests that a server is asked about.
 *
 * @module
 */

import type { Forgery } from '../../engine/judge/forgery.ts';
import type { Suite } from '../../engine/vector.ts';
import { chooseForgeries } from '../../make/forgeries/choice.ts';
import { createForgeries, verifyingOperation } from '../../make/forgeries/forgeries.ts';
import type { Target } from '../../make/probe/probe-vectors.ts';
import { relocateSigningVector } from '../../make/probe/relocation.ts';
import { isVendorText } from '../../make/probe/vendor-text.ts';
import { translateVectors } from '../../make/rederive/dialect.ts';
import type { Prober } from '../../respondents/server/prober.ts';
import { bundledForgeries } from '../../suite/bundle.ts';

export interface ServerForgeries {
  readonly forgeries: readonly Forgery[];
  /** The reasons why some known mistakes cannot be shown by a request to this server, one for each mistake. */
  readonly unshown: readonly string[];
}

/** The requests that signers with known mistakes send to this server. */
export function createServerForgeries(
  suite: Suite,
  target: Target,
  prober: Prober,
): ServerForgeries {
  const { keys, dialect } = target;
  const signers = suite.vectors
    .filter(({ operation }) => verifyingOperation(operation) !== undefined)
    .map((vector) => relocateSigningVector(vector, keys, target));
  const all = translateVectors(dialect, signers).flatMap((vector) =>
    createForgeries(vector, dialect),
  );
  const faults = new Map(
    all.map((forgery) => [forgery, whyNotAsked(forgery, target, prober)] as const),
  );
  const askable = all.filter((forgery) => faults.get(forgery) === undefined);
  // A server may use different code for a signature in a header, a query and a body, so all of them are asked about.
  const forgeries = chooseForgeries(askable, dialect).map(
    ({ unlessOffered: _, ...forgery }) => forgery,
  );
  const shown = new Set(forgeries.flatMap(({ mistakes }) => mistakes));
  const names = new Set(bundledForgeries().flatMap(({ mistakes }) => mistakes));
  const whyNot = (name: string): string => {
    const one = all.find(({ mistakes }) => mistakes.includes(name));
    return (one && faults.get(one)) ?? 'it does not change a request with this key pair and bucket';
  };
  return {
    forgeries,
    unshown: [...names].filter((name) => !shown.has(name)).map(whyNot),
  };
}

/** Why a forgery or its control is not asked about. */
function whyNotAsked(forgery: Forgery, { dialect }: Target, prober: Prober): string | undefined {
  if (isVendorText(forgery, dialect)) {
    return "the service's newer documentation signs this text, and a server may accept it";
  }
  return prober.findObstacle(forgery) ?? prober.findObstacle(forgery.control);
}
