import { compare, median, summarize, WARM_UP_SECONDS } from '../compare.mjs';
import { githubRequests, SECRETS, slackRequests } from '../deliveries.mjs';
import { measureGrowth } from '../growth.mjs';
import { newRun } from '../harness.mjs';
import { pinned } from '../machine.mjs';
import { cpuSeconds, run } from '../processes.mjs';
import { writeEntries } from '../requests.mjs';

const CONNECTIONS = 16;
const FOLDERS_OVER = 20_000;
/** wrk signs nothing, and two generators would not be comparable. */
const generator = 'own';

const SENDERS = [
  { name: 'message from Slack, 2 KB', requests: slackRequests, target: { least: 0.6 } },
  { name: 'pull request from GitHub, 24 KB', requests: githubRequests },
];

/** Signed deliveries, each about a new thing, against plain writes of new entries to the same server. Both are durable. */
export async function* measureWebhooks(harness) {
  const service = await harness.service(harness.emptyPlace('webhooks'), { env: SECRETS, role: 'several' });
  for (const { name, requests, target } of SENDERS) {
    const sides = { floor: [], ours: [] };
    const measure = async (side, seconds) => {
      const templates = side === 'floor' ? writeEntries() : requests(newRun());
      const plan = { requests: templates, connections: CONNECTIONS, count: FOLDERS_OVER, generator };
      const before = cpuSeconds(service.pid);
      const {
        requests_per_s: value,
        non2xx,
        p99_ms,
        requests: asked,
      } = await harness.load(service, {
        ...plan,
        ...(seconds ? { seconds } : {}),
      });
      if (!seconds) sides[side].push({ p99_ms, work: (cpuSeconds(service.pid) - before) / asked });
      return { value, non2xx };
    };
    for (const side of ['floor', 'ours']) await measure(side, WARM_UP_SECONDS);
    const result = await compare(
      harness.options.repeats,
      () => measure('floor'),
      () => measure('ours'),
    );
    const slowest = Math.max(...sides.ours.map(({ p99_ms }) => p99_ms)).toFixed(1);
    const works = sides.floor.map(({ work }, i) => work / sides.ours[i].work);
    const note = `our p99 ${slowest} ms; by time of the processor: ${median(works).toFixed(2)}`;
    const figure = `signed ${name}, against POST entry, ${CONNECTIONS} connections, SQLite`;
    yield { figure, unit: 'req/s', ...(target ? { target } : {}), ...result, note };
  }
}

/** The same deliveries where many ids are remembered, against few. */
export async function* measureDeliveries(harness) {
  const { fewDeliveries, manyDeliveries } = harness.options;
  const figures = [
    { name: 'signed message from Slack', requests: () => slackRequests(newRun()), connections: CONNECTIONS },
  ];
  for (const [backend, store] of [
    ['SQLite', harness.deliveries],
    ['PostgreSQL', harness.postgresDeliveries],
  ]) {
    const stores = [await store(fewDeliveries), await store(manyDeliveries)];
    yield* measureGrowth(harness, {
      figures,
      stores,
      backend,
      what: ' remembered deliveries',
      most: 1.2,
      env: SECRETS,
    });
  }
}

/** The transform of a connector in a thread of its own, against the same in the process of the service. */
export async function* measureTransforms(harness) {
  const { programs, options } = harness;
  const senders = [
    { what: 'messages from Slack, 2 KB', file: programs.slackConnector, name: 'slack', class_name: 'SlackConnector' },
    {
      what: 'pull requests from GitHub, 24 KB',
      file: programs.githubConnector,
      name: 'github',
      class_name: 'GitHubConnector',
    },
  ];
  for (const { what, ...connector } of senders) {
    const requests = connector.name === 'slack' ? slackRequests('x') : githubRequests('x');
    const bodies = requests.map(({ body }) => body.replaceAll('{n}', '1'));
    const order = JSON.stringify({ ...connector, headers: requests[0].headers, rounds: Math.max(5, options.repeats) });
    const [command, args] = pinned('several', process.execPath, [programs.transforms, order]);
    const { stdout } = await run(command, args, { input: JSON.stringify(bodies), timeoutMs: 300_000 });
    for (const { batch, pairs } of JSON.parse(stdout)) {
      const figure = `transform in a thread, against in process, ${what}, in batches of ${batch}`;
      yield {
        figure,
        unit: 'µs',
        target: { most: 1.5 },
        ...summarize(pairs),
        note: `from the body to the checked results; by time of the processor, both threads together: ${workRatio(pairs)} ×`,
      };
    }
  }
}

const workRatio = (pairs) => median(pairs.map(({ floor, ours }) => ours.cpu / floor.cpu)).toFixed(2);
