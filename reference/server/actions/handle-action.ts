/**
 * Handles a request to the account API: one request, one action (§4.1, §4.2).
 *
 * @module
 */

import { findNearest } from '../../nearest.ts';
import type { ActionParameters, Context } from '../../signing/index.ts';
import { judgeAction, readParameters, type SentParameters } from '../authentication/action.ts';
import type { Service } from '../authentication/service.ts';
import {
  actionError,
  actionSignatureError,
  errorAnswer,
  ServiceError,
} from '../messages/errors.ts';
import type { Outcome } from '../messages/exchange.ts';
import { jsonAnswer, type WireRequest } from '../messages/exchange.ts';
import type { Judgement } from '../messages/judgement.ts';
import {
  type Action,
  checkValues,
  createBucket,
  deleteBucket,
  describeBucket,
  getFileList,
  updateBucket,
  type Values,
} from './buckets.ts';

export const ACTIONS: readonly Action[] = [
  createBucket,
  describeBucket,
  updateBucket,
  deleteBucket,
  getFileList,
];

/** The largest body in bytes: twice the largest one in the tests of a published SDK, 517,706. */
const LONGEST_BODY = 1024 * 1024;

/** The longest name that may be an action. */
const LONGEST_NAME = 64;

/** The data of a request for the log, as far as it is known. */
interface Found {
  action: string;
  judgement?: Judgement;
}

export async function handleAction(service: Service, wire: WireRequest): Promise<Outcome> {
  const found: Found = { action: '' };
  try {
    const bytes = await wire.body.bytes(LONGEST_BODY);
    const sent = readParameters(wire, Buffer.from(bytes).toString('utf8'), service.context);
    const parameters = checkParameters(sent);
    const name = textValue(parameters, 'Action');
    found.action = name.length > LONGEST_NAME ? '' : name;
    found.judgement = judgeAction(service, wire, sent);
    if (found.judgement.kind === 'wrong') throw actionSignatureError(found.judgement);
    const actor = found.judgement.kind === 'right' ? found.judgement.publicKey : undefined;
    const signed = actor === undefined ? service : { ...service, actor };
    const action = ACTIONS.find((one) => one.name === name);
    if (!action) throw unknownAction(name);
    const values = checkValues(action.parameters, toValues(parameters, service.context));
    const members = await action.answer(values, signed);
    const answer = jsonAnswer(200, { RetCode: 0, Action: `${found.action}Response`, ...members });
    return { answer, operation: found.action, judgement: found.judgement };
  } catch (error) {
    const { action, judgement } = found;
    return {
      ...errorAnswer(error, { action }),
      ...(action !== '' && { operation: action }),
      ...(judgement && { judgement }),
    };
  }
}

/** Returns the parameters. Throws if they could not be parsed, or if Action or PublicKey is missing. */
function checkParameters({ parameters }: SentParameters): ActionParameters {
  if (!parameters) throw actionError('bodyMalformed');
  if (textValue(parameters, 'Action') === '') throw actionError('actionMissing');
  if (!parameters.some(([name]) => name === 'PublicKey')) {
    throw actionError('parameterMissing', 'PublicKey');
  }
  return parameters;
}

function textValue(parameters: ActionParameters, name: string): string {
  const value = parameters.find(([own]) => own === name)?.[1];
  return typeof value === 'string' ? value : '';
}

/** The parameters in their signed form, with JSON numbers as plain text. */
function toValues(parameters: ActionParameters, context: Context): Values {
  const { steps } = context;
  const flat = steps.flattened(parameters, context);
  return new Map(flat.map(([name, value]) => [name, steps.valueText(value, context)]));
}

/** The other actions of the object storage, from its API index and the generated clients. */
const NOT_SERVED: ReadonlySet<string> = new Set([
  'AddCORSRule',
  'AddUFileSSLCert',
  'BindBucketDomain',
  'BuyUFilePkg',
  'CreateUFileLifeCycle',
  'CreateUFileToken',
  'CreateUdsRule',
  'DeleteCORSRule',
  'DeleteUFileLifeCycle',
  'DeleteUFilePkg',
  'DeleteUFileSSLCert',
  'DeleteUFileToken',
  'DescribeCORSRule',
  'DescribeUFileLifeCycle',
  'DescribeUFileToken',
  'GetUFileDailyBill',
  'GetUFileDailyReport',
  'GetUFileQuota',
  'GetUFileQuotaInfo',
  'GetUFileQuotaPrice',
  'GetUFileReport',
  'SetUFileReferer',
  'UpdateCORSRule',
  'UpdateUFileLifeCycle',
  'UpdateUFileToken',
  'UpdateUdsRule',
]);

/** Actions share words such as Describe and Bucket, so only a very similar name is suggested. */
const LEAST_SIMILARITY = 0.8;

function unknownAction(name: string): ServiceError {
  if (NOT_SERVED.has(name)) return actionError('actionNotServed', name);
  const known = [...ACTIONS.map((one) => one.name), ...NOT_SERVED];
  const near = findNearest(name.slice(0, LONGEST_NAME), known, LEAST_SIMILARITY);
  const error = actionError('actionUnknown', name);
  if (near === undefined) return error;
  const { status, code, message } = error;
  return new ServiceError({ status, code, message: `${message}; did you mean ${near}?` });
}
