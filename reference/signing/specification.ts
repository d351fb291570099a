/**
 * The specification as a record of named steps. A mistake wraps one of them.
 *
 * @module
 */
import * as etag from './etag.ts';
import * as fileRequests from './file-requests.ts';
import * as parameters from './parameters.ts';
import type { Context, Dialect } from './types.ts';
import * as verification from './verification.ts';

/** Every export of the four files of steps, by its name. */
export type Steps = typeof parameters & typeof fileRequests & typeof etag & typeof verification;

declare module './types.ts' {
  interface Context {
    readonly steps: Steps;
  }
}

/** The correct version of each step. */
const STEPS: Steps = { ...parameters, ...fileRequests, ...etag, ...verification };

/** The neutral words of the specification. */
export const SVC: Dialect = {
  scheme: 'Svc',
  headerPrefix: 'X-Svc-',
  publicKeyParameter: 'SvcPublicKey',
};

/** The words of the UCloud API and US3. */
export const UCLOUD: Dialect = {
  scheme: 'UCloud',
  headerPrefix: 'X-UCloud-',
  publicKeyParameter: 'UCloudPublicKey',
};

/** A context with some steps replaced. */
export const withSteps = (context: Context, steps: Partial<Steps>): Context => ({
  ...context,
  steps: { ...context.steps, ...steps },
});

/** The specification in the words of a deployment. */
export const inDialect = (dialect: Dialect): Context => ({ steps: STEPS, dialect });

/** The specification in its own words. */
export const SPECIFICATION: Context = inDialect(SVC);
