/**
 * The account API: one request, one action (§4.1, §4.2).
 *
 * @module
 */

import type { ActionParameters, Context } from '../../signing/index.ts';
import { jsonAnswer } from '../answer.ts';
import { judgedAction, type SentParameters, sentParameters } from '../authentication/action.ts';
import { actionSignatureError } from '../authentication/signature-error.ts';
import { actionErrorAnswer } from '../error-answer.ts';
import { ACTION_ERRORS, serviceError } from '../errors.ts';
import type { Judgement } from '../judgement.ts';
import type { Outcome, Service } from '../service.ts';
import { ServiceError } from '../service-error.ts';
import type { WireRequest } from '../wire-request.ts';
import { type Action, checkedValues, type Values } from './action.ts';
import { createBucket } from './create-bucket.ts';
import { deleteBucket } from './delete-bucket.ts';
import { describeBucket } from './describe-bucket.ts';
import { fileList } from './file-list.ts';
import { notServed } from './unknown-action.ts';
import { updateBucket } from './update-bucket.ts';

const ACTIONS: readonly Action[] = [
  createBucket,
  describeBucket,
  updateBucket,
  deleteBucket,
  fileList,
];

/** Of a body with parameters; in bytes: twice the largest that the tests of a published SDK send, 517,706. */
const LONGEST_BODY = 1024 * 1024;

/** Of the name of an action; what is longer is none. */
const LONGEST_NAME = 64;

/** What is known of a request by the time something keeps it from being done. */
interface Found {
  action: string;
  judgement?: Judgement;
}

/** Answers an action, or says what keeps it from being done. */
export async function actionOutcome(service: Service, wire: WireRequest): Promise<Outcome> {
  const found: Found = { action: '' };
  try {
    const bytes = await wire.body.bytes(LONGEST_BODY);
    const sent = sentParameters(wire, Buffer.from(bytes).toString('utf8'), service.context);
    const parameters = checkedParameters(sent);
    const name = textOf(parameters, 'Action');
    found.action = name.length > LONGEST_NAME ? '' : name;
    found.judgement = judgedAction(service, wire, sent);
    if (found.judgement.kind === 'wrong') throw actionSignatureError(found.judgement);
    const members = await done(name, valuesOf(parameters, service.context), service);
    const answer = jsonAnswer(200, { RetCode: 0, Action: `${found.action}Response`, ...members });
    return { answer, operation: found.action, judgement: found.judgement };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return refused(error, found);
  }
}

function refused(error: ServiceError, { action, judgement }: Found): Outcome {
  const message = judgement?.kind === 'wrong' ? judgement.message : error.message;
  return {
    answer: actionErrorAnswer(error, action),
    message,
    ...(action !== '' && { operation: action }),
    ...(judgement && { judgement }),
  };
}

async function done(name: string, values: Values, service: Service): Promise<object> {
  const action = ACTIONS.find((one) => one.name === name);
  if (!action) {
    throw notServed(
      name,
      ACTIONS.map((one) => one.name),
    );
  }
  return action.answer(checkedValues(action.parameters, values), service);
}

/** The parameters, if they can be read and say what is asked for by whom. */
function checkedParameters({ parameters }: SentParameters): ActionParameters {
  if (!parameters) throw serviceError(ACTION_ERRORS.bodyMalformed);
  if (textOf(parameters, 'Action') === '') throw serviceError(ACTION_ERRORS.actionMissing);
  if (!parameters.some(([name]) => name === 'PublicKey')) {
    throw serviceError(ACTION_ERRORS.parameterMissing, 'PublicKey');
  }
  return parameters;
}

function textOf(parameters: ActionParameters, name: string): string {
  const value = parameters.find(([own]) => own === name)?.[1];
  return typeof value === 'string' ? value : '';
}

/** As they are signed, so numbers of JSON as their plain text. */
function valuesOf(parameters: ActionParameters, context: Context): Values {
  const { steps } = context;
  const flat = steps.flattened(parameters, context);
  return new Map(flat.map(([name, value]) => [name, steps.valueText(value, context)]));
}
