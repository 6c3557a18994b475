import type { Request } from '../data/client.ts';

/** Everything of the demo is below this path, and its agents carry this name first. */
export const DEMO_PATH = 'demo';
export const DEMO_AGENTS = 'demo-';

export const agents = {
  'demo-deploy-bot': 'Rolls out changes, watches, rolls back',
  'demo-sre-oncall': 'Keeps the services up at night',
  'demo-reviewer': 'Reviews changes to billing and checkout',
  'demo-triage': 'Sorts incoming tickets and looks for causes',
  'demo-planner': 'Plans work across the services',
} as const;

export type DemoAgent = keyof typeof agents;

export type DemoEntry = {
  path: string;
  key: string;
  by: DemoAgent;
  value: Request<'entries.write'>['value'];
  confidence: number;
  type: NonNullable<Request<'entries.write'>['memory_type']>;
};

/** In the order in which they are written; the same key again is a new version. */
export const entries: readonly DemoEntry[] = [
  {
    path: 'checkout/payments',
    key: 'retry-policy',
    by: 'demo-deploy-bot',
    value: { max_attempts: 3, backoff_ms: [200, 800], retry_on: ['timeout', 'gateway_5xx'] },
    confidence: 0.85,
    type: 'belief',
  },
  {
    path: 'checkout/payments',
    key: 'gateway-timeout',
    by: 'demo-sre-oncall',
    value: { connect_ms: 500, read_ms: 4000, because: 'the slowest gateway answers within 3.1 s at p99' },
    confidence: 0.8,
    type: 'fact',
  },
  {
    path: 'checkout/payments',
    key: 'psp-failover-order',
    by: 'demo-sre-oncall',
    value: ['adyen', 'stripe', 'worldpay'],
    confidence: 0.75,
    type: 'procedure',
  },
  {
    path: 'checkout/payments',
    key: 'idempotency-key-format',
    by: 'demo-reviewer',
    value: 'order id, attempt number and the hash of the cart, joined by a colon',
    confidence: 0.9,
    type: 'fact',
  },
  {
    path: 'checkout/cart',
    key: 'price-rounding',
    by: 'demo-reviewer',
    value: 'Round each line, then add up. Rounding the sum is a cent off in one of 400 carts.',
    confidence: 0.8,
    type: 'experience',
  },
  {
    path: 'infra/eu-west',
    key: 'pool-size',
    by: 'demo-sre-oncall',
    value: { max: 40, min: 10, queue: 'wait' },
    confidence: 0.9,
    type: 'fact',
  },
  {
    path: 'infra/postgres',
    key: 'vacuum-window',
    by: 'demo-sre-oncall',
    value: 'Sundays from 02:00 to 04:00 UTC; never while the nightly settlement runs',
    confidence: 0.55,
    type: 'procedure',
  },
  {
    path: 'docs/runbooks',
    key: 'failover-eu',
    by: 'demo-planner',
    value:
      '1. Stop the writers in eu-west.\n2. Wait until the replica has caught up.\n3. Promote eu-central.\n4. Move the DNS record.',
    confidence: 0.6,
    type: 'procedure',
  },
  {
    path: 'api/rate-limits',
    key: 'partner-burst',
    by: 'demo-reviewer',
    value: { requests_per_second: 50, burst: 200, partners: ['acme', 'nordwind'] },
    confidence: 0.72,
    type: 'belief',
  },
  {
    path: 'repo/billing',
    key: 'lock-order',
    by: 'demo-reviewer',
    value: 'Lock the account, then the invoice, then its lines; the other way round deadlocks with the settlement.',
    confidence: 0.9,
    type: 'fact',
  },
  {
    path: 'customers/acme',
    key: 'contract-terms',
    by: 'demo-triage',
    value: { plan: 'enterprise', response_hours: 4, renews: '2027-03-31' },
    confidence: 0.6,
    type: 'belief',
  },
  {
    path: 'incidents/2026-11',
    key: 'duplicate-charges',
    by: 'demo-triage',
    value: 'A retry after a timeout used a new idempotency key, so the gateway charged twice.',
    confidence: 0.6,
    type: 'belief',
  },
];

/** Written while others work with the version before it. */
export const changes: Readonly<Record<'policy' | 'pool' | 'limits', DemoEntry>> = {
  policy: {
    path: 'checkout/payments',
    key: 'retry-policy',
    by: 'demo-deploy-bot',
    value: {
      max_attempts: 5,
      backoff_ms: [200, 800, 3200],
      retry_on: ['timeout', 'gateway_5xx'],
      because: 'adyen eu-west times out under load',
    },
    confidence: 0.8,
    type: 'belief',
  },
  pool: {
    path: 'infra/eu-west',
    key: 'pool-size',
    by: 'demo-sre-oncall',
    value: { max: 120, min: 10, queue: 'fail-fast' },
    confidence: 0.7,
    type: 'fact',
  },
  limits: {
    path: 'api/rate-limits',
    key: 'partner-burst',
    by: 'demo-planner',
    value: { requests_per_second: 80, burst: 200, partners: ['acme', 'nordwind', 'lumen'] },
    confidence: 0.65,
    type: 'belief',
  },
};
