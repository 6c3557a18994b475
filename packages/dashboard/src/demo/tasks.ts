import type { Request } from '../data/client.ts';
import { changes, type DemoAgent, type DemoEntry } from './entries.ts';

/** A piece of work: what an agent read, what it did, and how it went. */
export type DemoTask = {
  by: DemoAgent;
  ref: string;
  task: string;
  answer: string;
  reads: readonly string[];
  search?: string;
  tools: readonly { name: string; says: string; ms: number; failed?: true }[];
  outcome: Request<'outcomes.commit'>['outcome_type'];
  /** A first attempt that failed, and why. */
  gaveUp?: string;
  error?: string;
  /** What somebody else writes after the reads and before the end: a stale read. */
  meanwhile?: DemoEntry;
};

export const tasks: readonly DemoTask[] = [
  {
    by: 'demo-deploy-bot',
    ref: 'deploy-2219',
    task: 'Roll out checkout 4.18 to eu-west',
    answer: 'Rolled out to all hosts, error rate unchanged.',
    reads: ['checkout/payments/retry-policy', 'infra/eu-west/pool-size'],
    search: 'retry timeout eu-west',
    tools: [
      { name: 'kubectl apply', says: '12 of 12 pods ready', ms: 22_000 },
      { name: 'smoke-test', says: '214 checks passed', ms: 18_000 },
    ],
    outcome: 'success',
  },
  {
    by: 'demo-triage',
    ref: 'ticket-88409',
    task: 'Why was order 77120 charged twice?',
    answer: 'The retry made a new idempotency key. Refunded; see duplicate-charges.',
    reads: ['incidents/2026-11/duplicate-charges', 'checkout/payments/idempotency-key-format'],
    search: 'charged twice idempotency',
    tools: [{ name: 'ledger query', says: '2 charges, 41 s apart', ms: 900 }],
    outcome: 'success',
  },
  {
    by: 'demo-sre-oncall',
    ref: 'drill-118',
    task: 'Failover drill of eu-west',
    answer: 'Promoted eu-central in 4 minutes; the runbook holds.',
    reads: ['docs/runbooks/failover-eu', 'infra/postgres/vacuum-window'],
    tools: [{ name: 'promote replica', says: 'lag 0 bytes, promoted', ms: 64_000 }],
    outcome: 'clean_deploy',
  },
  {
    by: 'demo-reviewer',
    ref: 'review-5531',
    task: 'Review the change of partner limits',
    answer: 'Approved: the limit is per partner, as documented.',
    reads: ['api/rate-limits/partner-burst', 'repo/billing/lock-order'],
    tools: [{ name: 'run tests', says: '1,204 passed', ms: 31_000 }],
    outcome: 'success',
  },
  {
    by: 'demo-deploy-bot',
    ref: 'deploy-2224',
    task: 'Roll out the longer retries',
    answer: 'Rolled out after the second attempt.',
    reads: ['checkout/payments/retry-policy', 'checkout/payments/gateway-timeout'],
    tools: [
      { name: 'kubectl apply', says: 'timed out waiting for 3 pods', ms: 31_000, failed: true },
      { name: 'kubectl rollout restart', says: '12 of 12 pods ready', ms: 34_000 },
    ],
    gaveUp: 'three pods did not become ready',
    error: 'TimeoutError',
    outcome: 'success',
  },
  {
    by: 'demo-planner',
    ref: 'capacity-nov',
    task: 'How many connections will eu-west need at the end of November?',
    answer: 'Forty will do.',
    reads: ['infra/eu-west/pool-size', 'customers/acme/contract-terms'],
    tools: [{ name: 'metrics query', says: 'p95 of 31 connections', ms: 1_400 }],
    meanwhile: changes.pool,
    outcome: 'failure',
  },
  {
    by: 'demo-sre-oncall',
    ref: 'maintenance-46',
    task: 'Vacuum the billing database',
    answer: 'Done in 41 minutes, before the settlement.',
    reads: ['infra/postgres/vacuum-window', 'repo/billing/lock-order'],
    tools: [{ name: 'vacuum', says: '3 tables, 41 min', ms: 246_000 }],
    outcome: 'success',
  },
  {
    by: 'demo-triage',
    ref: 'ticket-88412',
    task: 'Acme asks when somebody answers',
    answer: 'Within four hours, by contract.',
    reads: ['customers/acme/contract-terms'],
    tools: [{ name: 'crm lookup', says: 'plan: business, 8 hours', ms: 600, failed: true }],
    outcome: 'minor_failure',
  },
  {
    by: 'demo-deploy-bot',
    ref: 'deploy-2229',
    task: 'Raise the attempts to five',
    answer: 'Rolled out; payments to eu-west pile up and time out.',
    reads: ['checkout/payments/retry-policy', 'checkout/payments/gateway-timeout', 'infra/eu-west/pool-size'],
    search: 'raise retry attempts',
    tools: [
      { name: 'kubectl apply', says: '12 of 12 pods ready', ms: 21_000 },
      { name: 'smoke-test', says: '9 of 214 checks failed: gateway timeout', ms: 26_000, failed: true },
    ],
    outcome: 'p2_incident',
  },
  {
    by: 'demo-reviewer',
    ref: 'review-5538',
    task: 'May partner lumen burst to 200?',
    answer: 'Yes, it has the same limit.',
    reads: ['api/rate-limits/partner-burst'],
    tools: [{ name: 'load test', says: 'refused at 80 per second', ms: 12_000, failed: true }],
    meanwhile: changes.limits,
    outcome: 'failure',
  },
  {
    by: 'demo-sre-oncall',
    ref: 'incident-311',
    task: 'Payments in eu-west time out',
    answer: 'Rolled back to three attempts, the queue drained.',
    reads: ['checkout/payments/psp-failover-order', 'docs/runbooks/failover-eu'],
    tools: [{ name: 'kubectl rollout undo', says: 'back to revision 41', ms: 19_000 }],
    outcome: 'success',
  },
  {
    by: 'demo-deploy-bot',
    ref: 'deploy-2231',
    task: 'Roll out retry policy v2 to eu-west only',
    answer: 'Error rate doubled within a minute; rolled back.',
    reads: ['checkout/payments/retry-policy', 'checkout/cart/price-rounding'],
    tools: [
      { name: 'kubectl apply', says: '4 of 4 pods ready', ms: 15_000 },
      { name: 'smoke-test', says: '31 of 214 checks failed', ms: 24_000, failed: true },
    ],
    outcome: 'regression',
  },
  {
    by: 'demo-triage',
    ref: 'ticket-88431',
    task: 'A cart total is one cent off',
    answer: 'The sum was rounded, not its lines. Fix proposed.',
    reads: ['checkout/cart/price-rounding'],
    tools: [{ name: 'reproduce', says: '19.99 + 0.005 gives 20.00', ms: 300 }],
    outcome: 'success',
  },
];
