/**
 * What a file operation says no to: status, code and text.
 *
 * @module
 */
import { ServiceError } from '../service-error.ts';

type Row = readonly [status: number, code: number, text: string];

/** Codes from -149100 down are our own: nothing is published for their cases. */
const REFUSALS = {
  'unknown bucket': [404, -30010, 'bucket not exist'],
  'unknown file': [404, -148654, 'file not exist'],
  'class not allowed': [403, -148660, 'switch class not allowed'],
  frozen: [403, -148671, 'file has not been restored'],
  'bad copy range': [419, -149100, 'copy range not satisfiable'],
  'bad request': [400, -149101, 'bad request'],
  'bad digest': [400, -149102, 'content md5 mismatch'],
  'unknown upload': [404, -149103, 'upload not exist'],
  'bad parts': [400, -149104, 'bad part list'],
  'name taken': [409, -149105, 'file already exist'],
  'bad position': [409, -149106, 'bad append position'],
  'bad range': [416, -149107, 'range not satisfiable'],
  'precondition failed': [412, -149108, 'precondition failed'],
  'callback failed': [502, -149109, 'file uploaded, callback failed'],
} as const satisfies Record<string, Row>;

export type RefusalName = keyof typeof REFUSALS;

/**
 * The error of a refusal.
 *
 * @param sentence what, observed, rule; added to the text of the service
 */
export function refusal(name: RefusalName, sentence?: string): ServiceError {
  const [status, code, text] = REFUSALS[name];
  return new ServiceError(status, code, sentence === undefined ? text : `${text}: ${sentence}`);
}

/** What a request says that nobody understands. */
export function badRequest(sentence: string): ServiceError {
  return refusal('bad request', sentence);
}
