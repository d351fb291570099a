/**
 * Mistakes that an implementation makes for some requests or texts only, and answers that depend on more than the request.
 */
import { expect, test } from 'vitest';
import {
  makeConditionals,
  makeStepConditionals,
} from '../../harness/engine/diagnosis/conditional-mistakes.ts';
import { PLAIN } from '../../harness/engine/diagnosis/conditions.ts';
import { REFUSED } from '../../harness/engine/diagnosis/observation.ts';
import { createPredictor } from '../../harness/engine/diagnosis/reference-reply.ts';
import { findRivals } from '../../harness/engine/diagnosis/rivals.ts';
import { Search } from '../../harness/engine/diagnosis/search.ts';
import { toQuestion } from '../../harness/engine/judge/outcome.ts';
import type { Question, Reply } from '../../harness/engine/protocol.ts';
import { addChangingAnswers } from '../../harness/make/further/asking-anew.ts';
import { BUNDLED, bundledSuite } from '../../harness/suite/bundle.ts';
import { joinedSpans, type Mistake, mistaken } from '../../reference/mistakes/index.ts';
import {
  type HeaderList,
  inDialect,
  type ParameterValue,
  withSteps,
} from '../../reference/signing/index.ts';
import { thorough } from '../amount.ts';
import {
  answerWith,
  findCauses,
  findFullCauses,
  KNOWN,
  knownMistake,
  making,
  makingIf,
  observe,
  SVC,
} from './find-causes.ts';
import { answerIn } from './mistaken-respondent.ts';
import { run } from './svc-conformance.ts';
import { program } from './trial.ts';

const WRONG_TEXT: Reply = { kind: 'result', result: { encoded: 'x' }, trace: {} };

const accepting = ({ keys: { publicKey } }: Question): Reply => ({
  kind: 'result',
  result: { publicKey },
  trace: {},
});

const sendsBoth = ({ input }: Question): boolean => {
  const names = (input.headers ?? []).map(([name]) => name.trim().toLowerCase());
  return names.includes('content-md5') && names.includes('content-type');
};

test('a mistake under two conditions is named with both', async () => {
  const causes = await findCauses(
    ['authorization'],
    makingIf(sendsBoth, 'positional-type-before-md5'),
  );
  expect(causes).toEqual([['positional-type-before-md5@content-type@content-md5', 'exact']]);
});

test('of two conditions, the one with "if" comes before the one with "unless"', async () => {
  const isMade = ({ input: { key = '', headers = [] } }: Question): boolean =>
    !/[A-Z]/.test(key) &&
    headers.some(([name, value]) => /^x-svc-.*/i.test(name) && /,/.test(value));
  const causes = await findFullCauses(['authorization'], makingIf(isMade, 'text-with-backslash-n'));
  expect(causes.map(({ mistake }) => mistake.wrong)).toEqual([
    expect.stringMatching(/, but only if the value of .* a comma, and unless the value of /),
  ]);
});

test('a mistake for a verb is named whether the verb is compared as given or in upper case', async () => {
  const puts = (verb: string | undefined): boolean => verb === 'PUT';
  const readers = [
    ({ input }: Question) => puts(input.method),
    ({ input }: Question) => puts(input.method?.toUpperCase()),
  ];
  const causes = await Promise.all(
    readers.map((isMade) =>
      findCauses(['authorization'], makingIf(isMade, 'text-with-backslash-n')),
    ),
  );
  expect(causes).toEqual([
    [['text-with-backslash-n@upper-case-put', 'exact']],
    [['text-with-backslash-n@put', 'exact']],
  ]);
});

test('a mistake for requests with a certain parameter or header is named with it', async () => {
  const hasLimit = ({ input }: Question): boolean =>
    (input.parameters ?? []).some(([name]) => name === 'Limit');
  const operations = ['action-signature', 'action-query'];
  const signed = await findCauses(operations, makingIf(hasLimit, 'action-key-first'));
  expect(signed).toEqual([['action-key-first@parameter-Limit', 'exact']]);
  const hasLength = ({ input }: Question): boolean =>
    (input.headers ?? []).some(([name]) => /^content-length$/i.test(name.trim()));
  const sent = await findFullCauses(
    ['authorization'],
    makingIf(hasLength, 'text-with-backslash-n'),
  );
  expect(sent.map(({ mistake: { id, wrong } }) => [id, wrong])).toEqual([
    [
      'text-with-backslash-n@header-content-length',
      expect.stringMatching(/, but only if the header Content-Length is sent$/),
    ],
  ]);
});

test('a mistake for texts with a space is named with the condition', async () => {
  const hasSpace = ({ input }: Question): boolean => JSON.stringify(input.parameters).includes(' ');
  const operations = ['action-signature', 'action-query'];
  const causes = await findCauses(operations, makingIf(hasSpace, 'with-private-key/after-lf'));
  expect(causes).toHaveLength(1);
  expect(causes[0]?.[0]).toMatch(/^with-private-key\/after-lf@(?:its|parameter)-space$/);
});

/** Makes a mistake for some values of extra headers only. */
const inValues = (id: string, isChanged: (value: string, name: string) => boolean) => {
  const right = inDialect(SVC);
  const { extraValue } = mistaken(right, [knownMistake(id)]).steps;
  const limited = withSteps(right, {
    extraValue: (value, name) => (isChanged(value, name) ? extraValue(value, name) : value),
  });
  return (question: Question): Reply => answerIn(limited, question);
};

test('a mistake for the values of metadata headers is named with that condition', async () => {
  const isMetadata = (_: string, name: string): boolean => /^x-svc-meta-/i.test(name);
  const operations = ['authorization', 'form-authorization'];
  const causes = await findCauses(operations, inValues('extra-value/reversed', isMetadata));
  expect(causes).toEqual([['extra-value/reversed@its-metadata', 'exact']]);
});

test('a condition is uncertain if its mistake also explains answers beyond it', async () => {
  // No condition of the list is both.
  const isMade = (value: string, name: string): boolean =>
    /[^\0-\xFF]/.test(value) || /^x-svc-meta-[a-g]/i.test(name);
  const causes = await findCauses(['authorization'], inValues('extra-value/reversed', isMade));
  const conditional = causes.filter(([id]) => id.startsWith('extra-value/reversed@'));
  expect(conditional).not.toEqual([]);
  expect(conditional.map(([, confidence]) => confidence)).not.toContain('exact');
});

test('a condition on texts does not hold for a boolean', () => {
  const bare = knownMistake('falsy-values-left-out');
  const conditional = makeStepConditionals(bare).filter(({ id }) => /@its-/.test(id));
  const isPresent = (mistake: Mistake): boolean =>
    mistaken(inDialect(SVC), [mistake]).steps.isPresentValue(false);
  expect(isPresent(bare)).toBe(false);
  expect(conditional.length).toBeGreaterThan(0);
  expect(conditional.every(isPresent)).toBe(true);
});

test('a sentence tells the condition under which something is wrong', () => {
  const sentencesOf = (id: string): readonly string[] => {
    const bare = knownMistake(id);
    return makeStepConditionals(bare).map(({ wrong }) => wrong.slice(bare.wrong.length));
  };
  expect(sentencesOf('resource-key/upper-case')).toEqual(
    expect.arrayContaining([', but only if it has a dot', ', unless it has a dot']),
  );
  expect(sentencesOf('extra-value/spaces-collapsed-unquoted')).toContain(
    ', and only if it has a dot',
  );
});

function findConditional(operation: string, id: string): Mistake {
  const [name = ''] = id.split('@');
  const found = bundledSuite()
    .vectors.filter((vector) => vector.operation === operation)
    .map(toQuestion)
    .flatMap((question) => makeConditionals(knownMistake(name), question))
    .find((mistake) => mistake.id === id);
  if (!found) throw new Error(`no vector meets the condition of ${id}`);
  return found;
}

test('a condition is dropped if as many answers are explained without it', () => {
  const conditional = findConditional('presigned-url', 'presigned-as-get@key');
  const observed = observe('presigned-url', [conditional], ({ key }) => key !== '');
  const predictor = createPredictor(SVC, BUNDLED);
  const search = new Search(observed, predictor, { start: [{ mistake: conditional }] });
  expect(observed.every((one) => search.observed.explains(one, [{ mistake: conditional }]))).toBe(
    true,
  );
  expect(search.findMistakes().map(({ mistake }) => mistake.id)).toEqual(['presigned-as-get']);
});

test('the rivals of a mistake with a condition include mistakes under the same condition', () => {
  const one = { mistake: findConditional('authorization', 'string-to-sign/after-lf@key-space') };
  const observed = observe('authorization', [one.mistake]);
  const search = new Search(observed, createPredictor(SVC, BUNDLED));
  const rivals = findRivals(search.candidates, [one], one).everywhere.map(({ id }) => id);
  expect(rivals).toContain('resource-key/after-lf@key-space');
});

test('a mistake that begins at a certain size is named with the size', async () => {
  const isLong = ({ input: { key = '' } }: Question): boolean => key.length >= 30;
  const operations = ['authorization', 'presigned-url'];
  const causes = await findCauses(operations, makingIf(isLong, 'resource-key/upper-case'));
  expect(causes).toHaveLength(1);
  expect(causes[0]?.[0]).toMatch(
    /^resource-key\/upper-case@(?:key-bytes-from-3\d|its-longer-than-\d+)$/,
  );
});

/** An implementation that keeps the private key of the first question. */
function createSingleton(): (question: Question) => Reply {
  let kept: string | undefined;
  return (question) => {
    kept ??= question.keys.privateKey;
    const keys = { ...question.keys, privateKey: kept };
    return answerWith({ ...question, keys });
  };
}

test('a cause is uncertain if a single accepted request is its only evidence', async () => {
  const isAnonymous = ({ headers = [] }: Question['input']): boolean =>
    headers.every(([name]) => name.trim().toLowerCase() !== 'authorization');
  const causes = await findCauses(['verify-authorization'], (question) =>
    isAnonymous(question.input) ? accepting(question) : answerWith(question),
  );
  expect(causes.map(([, confidence]) => confidence)).toEqual(['one of']);
});

test('the order of the members of a policy, which is free, is no cause beside a mistake', async () => {
  const causes = await findCauses(['policy'], (question) => {
    const members = question.input.members?.toReversed() ?? [];
    const reversed = { ...question, input: { ...question.input, members } };
    return answerWith(reversed, 'policy-without-padding');
  });
  expect(causes).toEqual([['policy-without-padding', 'exact']]);
});

test('earlier requests are named as the cause of answers that are correct in a new process', async () => {
  const operations = ['authorization'];
  expect(await findCauses(operations, createSingleton(), { renew: createSingleton })).toEqual([
    ['earlier-requests', 'exact'],
  ]);
});

test('earlier requests are named as the cause in each of many operations', async () => {
  const operations = ['authorization', 'presigned-url', 'policy-authorization', 'bucket-request'];
  const all = [...operations, 'action-signature', 'action-query'];
  const causes = await findFullCauses(all, createSingleton(), { share: 4, renew: createSingleton });
  expect(causes.map(({ mistake }) => mistake.id)).toEqual(['earlier-requests']);
  const explained = new Set(
    causes.flatMap(({ explains }) => explains.map((id) => id.split('/')[0])),
  );
  expect([...explained].sort()).toEqual(all.sort());
});

/** A signer with URL-safe signatures that keeps the headers of earlier instant uploads. */
function createHeaderKeeper(): (question: Question) => Reply {
  let kept: HeaderList = [];
  return (question) => {
    if (question.operation !== 'instant-upload') return answerWith(question, 'signature-url-safe');
    const own = question.input.headers ?? [];
    const names = new Set(own.map(([name]) => name.toLowerCase()));
    kept = [...kept.filter(([name]) => !names.has(name.toLowerCase())), ...own];
    const input = { ...question.input, headers: kept };
    return answerWith({ ...question, input }, 'signature-url-safe');
  };
}

test('earlier requests are named beside a mistake that a new process makes, too', async () => {
  const renew = createHeaderKeeper;
  expect(await findCauses(['authorization', 'instant-upload'], renew(), { renew })).toEqual([
    ['signature-url-safe', 'exact'],
    ['earlier-requests', 'exact'],
  ]);
});

/** A signer that finds extra headers by one regular expression with the flag g, which keeps its place between requests. */
function createSkipping(): (question: Question) => Reply {
  const prefix = /^x-svc-/gi;
  const isKept = ([name]: HeaderList[number]): boolean =>
    !/^x-svc-/i.test(name) || prefix.test(name);
  return (question) => {
    const headers = (question.input.headers ?? []).filter(isKept);
    return answerWith({ ...question, input: { ...question.input, headers } });
  };
}

thorough(
  'earlier requests explain all failures of a regular expression that keeps its place',
  async () => {
    const renew = createSkipping;
    expect(await findCauses(['authorization'], renew(), { share: 3, renew })).toEqual([
      ['earlier-requests', 'exact'],
    ]);
  },
);

test('answers that are correct by chance in a new process show changing answers, not earlier requests', async () => {
  let call = 0;
  const answer = (question: Question): Reply => {
    call += 1;
    return call % 2 === 1 ? answerWith(question) : WRONG_TEXT;
  };
  const inRun = (question: Question): Reply =>
    (question.input.text ?? '').length % 2 === 0 ? answerWith(question) : WRONG_TEXT;
  expect(await findCauses(['url-encode'], inRun, { renew: () => answer })).toEqual([
    ['changing-answers', 'exact'],
  ]);
});

test('a comparison is named although the header is read leniently, too', async () => {
  const made = ['same-text/skipping-base64-php', 'credentials/blanks-kept'];
  const causes = await findCauses(['verify-authorization'], making(...made));
  expect(causes).toContainEqual(['same-text/skipping-base64-php', 'exact']);
});

/** A verifier that accepts every signature that it has accepted before, whatever is signed. */
function createRemembering(): (question: Question) => Reply {
  const accepted = new Set<string>();
  return (question) => {
    const signature = /&Signature=([^&]*)$/.exec(question.input.query ?? '')?.[1] ?? '';
    const reply = answerWith(question);
    if (reply.kind === 'result') accepted.add(signature);
    if (!accepted.has(signature)) return reply;
    return accepting(question);
  };
}

test('earlier requests are named as the cause if a verifier remembers signatures', async () => {
  const renew = createRemembering;
  expect(await findCauses(['verify-query'], renew(), { renew })).toEqual([
    ['earlier-requests', 'exact'],
  ]);
});

test('a property of the requests that are refused is the likely cause of all refusals', async () => {
  const isRefused = ({ input: { headers = [] } }: Question): boolean => headers.length > 3;
  const causes = await findFullCauses(['authorization'], (question) =>
    isRefused(question)
      ? { kind: 'refused', reason: 'text', message: 'too many headers' }
      : answerWith(question),
  );
  expect(causes.map(({ mistake, confidence }) => [mistake.wrong, confidence])).toEqual([
    [
      'a correct request is refused, or leads to an exception, but only if the request has 4 headers or more (with 3, the answer is correct)',
      'one of',
    ],
  ]);
});

test('an uncertain cause of refusals is dropped if a new process answers the requests', async () => {
  const predictor = createPredictor(SVC, BUNDLED);
  const answers = observe('url-encode', [])
    .slice(0, 4)
    .map((one) => ({ ...one, actual: REFUSED }));
  const ids = answers.map(({ id }) => id);
  const found = {
    causes: KNOWN.slice(0, 1).map((mistake) => ({
      mistake,
      confidence: 'one of' as const,
      others: [],
      explains: ids,
    })),
    unexplained: [],
  };
  const respondent = {
    stopReason: undefined,
    askAnew: async (question: Question) => answerWith(question),
  };
  const { causes } = await addChangingAnswers(found, answers, respondent, predictor);
  expect(causes.map((cause) => [cause.mistake.id, cause.explains])).toEqual([
    ['earlier-requests', ids],
  ]);
});

test('one cause replaces two if it explains as many answers', async () => {
  const isVerified = ({ operation }: Question): boolean => operation === 'verify-json';
  const causes = await findCauses(
    ['action-signature', 'verify-json'],
    makingIf(isVerified, 'held-number/double-whole-exact'),
  );
  expect(causes.map(([id]) => id)).toEqual(['held-number/double-whole-exact']);
});

test('a mistake in one of two operations is named without a condition', async () => {
  const id = 'signed-expires+presigned-expires/int-32';
  const operations = ['presigned-url', 'verify-presigned-url'];
  const isSigned = ({ operation }: Question): boolean => operation === 'presigned-url';
  const causes = await findCauses(operations, makingIf(isSigned, id));
  expect(causes).toEqual([[id, 'exact']]);
});

test('a mistake in signing is reported only for signing if failures in verifying stay unexplained', async () => {
  const id = 'action-hexadecimal-upper-case';
  const causes = await findFullCauses(
    ['action-signature', 'verify-json'],
    (question) => {
      if (question.operation === 'action-signature') return answerWith(question, id);
      const reply = answerWith(question);
      return question.input.body?.includes('ListHosts') && reply.kind === 'result'
        ? { ...reply, result: { publicKey: 'unknown-key' } }
        : reply;
    },
    { share: 2 },
  );
  const named = causes.map(({ mistake, confidence, within }) => [mistake.id, confidence, within]);
  expect(named).toEqual([[id, 'exact', ['action-signature']]]);
});

test('a single mistake is named although several answers contradict it', async () => {
  // The header formatter of .NET: exactly "; " before each parameter. Forms and links are signed as given.
  const correct = inDialect(SVC);
  const token = "[\\w!#$%&'*+.^`|~-]+";
  const parameter = `[ \\t]*;[ \\t]*${token}(?:[ \\t]*=[ \\t]*(?:${token}|"[^"\\\\]*"))?`;
  const isParsed = new RegExp(`^${token}/${token}(?:${parameter})*[ \\t]*$`);
  const formatType = (value: string): string =>
    (isParsed.test(value) ? (value.match(/(?:"[^"]*"|[^;"])+/g) ?? []) : [])
      .map((part) => part.trim().replace(/[ \t]*=[ \t]*/, '='))
      .join('; ') || value;
  const steps = { ...correct.steps, contentType: formatType };
  const wrong = ['authorization', 'instant-upload', 'policy-authorization', 'verify-authorization'];
  const right = ['form-authorization', 'presigned-url'];
  const causes = await findCauses([...wrong, ...right], (question) =>
    wrong.includes(question.operation)
      ? answerIn({ ...correct, steps }, question)
      : answerWith(question),
  );
  expect(causes).toEqual([['content-type/parsed-spaced', 'exact']]);
});

test('a condition that fits some of the wrong answers by chance is not named as the cause', async () => {
  let call = 0;
  const causes = await findCauses(['presigned-url'], (question) => {
    if (question.input.method === 'HEAD') return answerWith(question, 'url-text/reversed');
    call += 1;
    return call % 2 === 0
      ? answerWith(question)
      : { kind: 'result', result: { url: `https://${call}.example/` }, trace: {} };
  });
  expect(causes).toEqual([]);
});

test('a program that keeps its first key is restarted to find out that earlier requests are the cause', async () => {
  const command = program('keeps-its-first-key');
  const { code, stdout } = await run('authorization --no-fresh', command);
  expect(stdout).toContain('CAUSE earlier-requests');
  expect(stdout).not.toContain('UNEXPLAINED');
  expect(code).toBe(1);
});

thorough('changing answers are named as the cause if answers change each time', async () => {
  let call = 0;
  const answer = (question: Question): Reply => {
    call += 1;
    const expires = `${Number(question.input.expires) + call}`;
    return answerWith({ ...question, input: { ...question.input, expires } });
  };
  expect(await findCauses(['presigned-url'], answer, { renew: () => answer })).toEqual([
    ['changing-answers', 'exact'],
  ]);
});

test('a mistake of one operation does not hide one of another in the same step', async () => {
  const causes = await findCauses(['action-signature', 'action-json'], (question) =>
    answerWith(
      question,
      question.operation === 'action-json' ? 'json-nested' : 'list-in-list-refused',
    ),
  );
  expect(causes.map(([id]) => id).sort()).toEqual(['json-nested', 'list-in-list-refused']);
});

test('a mistake that explains its answers in every operation is preferred to one that does so only in some', async () => {
  const made = ['query-pairs/without-securitytoken', 'json-body/without-signature'];
  const causes = await findFullCauses(
    ['url-encode', 'action-query', 'action-json'],
    making(...made),
  );
  // An unsent SecurityToken would also change bodies, and fits only if it is limited to queries.
  expect(causes.map(({ mistake, within }) => [mistake.id, within])).toEqual([
    ['json-body/without-signature', undefined],
    ['query-pairs/without-securitytoken', undefined],
  ]);
});

test('earlier requests are not named as the cause of a mistake that every process makes', async () => {
  const answer = (question: Question): Reply =>
    (question.input.text ?? '').length % 2 === 0 ? answerWith(question) : WRONG_TEXT;
  const causes = await findCauses(['url-encode'], answer, { renew: () => answer });
  expect(causes.map(([id]) => id)).not.toContain('earlier-requests');
  expect(causes.map(([id]) => id)).not.toContain('changing-answers');
});

test('earlier requests are not named as the cause if every process accepts with a wrong public key', async () => {
  const answer = (question: Question): Reply => {
    const reply = answerWith(question);
    return reply.kind === 'result' ? { ...reply, result: { publicKey: '' } } : reply;
  };
  const causes = await findCauses(['verify-query'], answer, { renew: () => answer });
  expect(causes.map(([id]) => id)).not.toContain('earlier-requests');
});

thorough(
  'a mistake with exceptions is named as the nearest cause, even beside other mistakes',
  async () => {
    const others = ['parameters-sorted-ignoring-case', 'escape-space-as-plus'];
    const mistake = 'number-text/zeros-kept-unless-zero';
    const operations = ['action-signature', 'action-json', 'action-query'];
    const causes = await findCauses(operations, (question) =>
      /"-0(?:\.0)?"/.test(JSON.stringify(question.input))
        ? answerWith(question, ...others)
        : answerWith(question, ...others, mistake),
    );
    expect(causes).toContainEqual([mistake, 'nearest']);
  },
);

test('the same change in two steps is one cause, even if a related step replaces one of them', () => {
  const joined = joinedSpans(
    knownMistake('number-text/rust-serde'),
    knownMistake('held-number/rust-serde'),
  );
  expect(joined.map(({ id }) => id)).toContain('number-text+json-value/rust-serde');
});

test('two mistakes of one step that change different numbers are both named', async () => {
  const made = ['number-text/big-decimal-exponents', 'number-text/fixed-6-points'];
  const causes = await findCauses(['action-signature'], making(...made));
  expect(causes.map(([id]) => id).toSorted()).toEqual(made);
});

test('a text parameter that is called list is no list', () => {
  const nested = PLAIN.find(({ id }) => id === 'nested');
  const holds = (value: ParameterValue): boolean | undefined =>
    nested?.holds({
      operation: 'action-signature',
      keys: { publicKey: 'pub', privateKey: 'priv' },
      input: { parameters: [['list', value]] },
    });
  expect([holds('list'), holds({ list: [] }), holds({ object: [] })]).toEqual([false, true, true]);
});
