/**
 * The forged requests that a server is asked about.
 *
 * @module
 */
import { verifierOf } from '../forgeries/carried.ts';
import { chosenForgeries } from '../forgeries/chosen.ts';
import { forgeriesOf } from '../forgeries/forged.ts';
import { bundledForgeries, type Forgery } from '../forgeries/forgery.ts';
import { inWordsOf } from '../rederive/dialect.ts';
import type { Suite } from '../suite/vector.ts';
import type { About } from './own-vector.ts';
import { placedSigner } from './placing.ts';
import type { Prober } from './prober.ts';
import { isVendorText } from './vendor-text.ts';

export interface ServerForgeries {
  readonly forgeries: readonly Forgery[];
  /** Of each mistake that no request to this server shows, why. */
  readonly unshown: readonly string[];
}

/** The requests that signers with known mistakes send to this server. */
export function serverForgeries(suite: Suite, about: About, prober: Prober): ServerForgeries {
  const { keys, dialect } = about;
  const signers = suite.vectors
    .filter(({ operation }) => verifierOf(operation) !== undefined)
    .map((vector) => placedSigner(vector, keys, about));
  const all = inWordsOf(dialect, signers).flatMap((vector) => forgeriesOf(vector, dialect));
  const faults = new Map(all.map((forgery) => [forgery, fault(forgery, about, prober)] as const));
  const askable = all.filter((forgery) => faults.get(forgery) === undefined);
  const forgeries = chosenForgeries(askable, dialect);
  const shown = new Set(forgeries.flatMap(({ mistakes }) => mistakes));
  const names = new Set(bundledForgeries().flatMap(({ mistakes }) => mistakes));
  const whyNot = (name: string): string => {
    const one = all.find(({ mistakes }) => mistakes.includes(name));
    return (one && faults.get(one)) ?? 'with this key pair and bucket it changes nothing';
  };
  return {
    forgeries,
    unshown: [...names].filter((name) => !shown.has(name)).map(whyNot),
  };
}

/** Why a forgery, or its control, is not asked about. */
function fault(forgery: Forgery, { dialect }: About, prober: Prober): string | undefined {
  if (isVendorText(forgery, dialect)) {
    return "the service's newer documentation signs so, and a server may accept it";
  }
  return prober.unasked(forgery) ?? prober.unasked(forgery.control);
}
