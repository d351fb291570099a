import { beforeAll, describe, expect, test } from 'vitest';
import { BUCKET, type ClientRun, clientRun } from './client-run.ts';
import { CLIENTS, type Client, notRun } from './clients.ts';
import { STEPS } from './steps.ts';

/** In milliseconds; long enough to build the client. */
const LIMIT = 600_000;

for (const client of CLIENTS) {
  const { name, missing } = client;
  if (missing === undefined) describe(name, () => meets(client));
  else test.skip(`${name}${notRun(missing)}`, () => {});
}

function meets(client: Client): void {
  let run: ClientRun;
  beforeAll(async () => {
    run = await clientRun(client);
  }, LIMIT);
  const told = (name: string) => run.steps.find(({ step }) => step === name);

  for (const step of [...STEPS, ...client.more]) {
    const failure = client.failing[step];
    if (client.lacking.includes(step)) {
      test.skip(`${step}${notRun('the SDK has no function for it')}`, () => {});
    } else if (failure) {
      test(`${step}: fails in the SDK`, () => {
        expect(told(step)).toEqual({ step, ok: false, error: expect.stringMatching(failure) });
      });
    } else {
      test(step, () => {
        expect(told(step)).toEqual({ step, ok: true });
      });
    }
  }

  test('the client reports every step and lacks only those without a function in its SDK', () => {
    const lacking = run.steps.filter((step) => step.lacking !== undefined);
    expect(lacking.map(({ step }) => step)).toEqual(client.lacking);
    expect(run.steps.map(({ step }) => step).sort()).toEqual([...STEPS, ...client.more].sort());
  });

  whatTheServerSaw(client, () => run.exchanges);
}

function whatTheServerSaw(client: Client, exchanges: () => ClientRun['exchanges']): void {
  test('the server refuses exactly the expected requests', () => {
    const refused = exchanges().filter(({ status }) => status >= 400);
    expect(refused.map(({ operation, key, status }) => `${operation} ${key} ${status}`)).toEqual(
      client.refused,
    );
  });

  test('all other requests are signed correctly', () => {
    const judged = exchanges().filter(({ judgement }) => judgement?.kind === 'right');
    expect(judged.length).toBeGreaterThan(40);
    expect(exchanges().filter((one) => !judged.includes(one) && one.status !== 403)).toEqual([]);
  });

  test('the server names the strings to sign that only published SDKs use', () => {
    const vendorTexts = exchanges().flatMap(({ operation = '', judgement }) =>
      judgement?.kind === 'right' && judgement.vendorText
        ? [[operation, judgement.vendorText]]
        : [],
    );
    expect(Object.fromEntries(vendorTexts)).toEqual(client.vendorTexts);
  });

  test('the client sends requests for its default hosts through the proxy', () => {
    const proxied = exchanges().filter(({ target }) => target.startsWith('http://'));
    expect([...new Set(proxied.map(({ host }) => host))].sort()).toEqual([
      'api.ucloud.cn',
      `${BUCKET}.cn-bj.ufileos.com`,
    ]);
    const isDirect = client.more.includes('virtual host');
    expect(exchanges().length - proxied.length).toBe(isDirect ? 2 : 0);
  });
}
