import { writeFileSync } from 'node:fs';

const number = (value) => {
  const digits = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 1 ? 2 : 3;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
};
const amount = (value, unit) => (value === undefined ? '–' : `${number(value)} ${unit}`);

function verdict({ target, ratio, non2xx, limit, ours }) {
  if (non2xx > 0) return `invalid: ${non2xx} not 2xx`;
  if (target !== undefined)
    return (target.least === undefined ? ratio <= target.most : ratio >= target.least) ? 'ok' : 'short';
  if (limit !== undefined) return ours <= limit ? 'ok' : 'short';
  return '–';
}

function targetText({ target, limit, unit }) {
  if (target?.least !== undefined) return `≥ ${target.least}`;
  if (target?.most !== undefined) return `≤ ${target.most}`;
  return limit === undefined ? '–' : `≤ ${limit} ${unit}`;
}

function ratioText({ ratio, spread }) {
  if (ratio === undefined) return '–';
  const range = spread && spread[0] !== spread[1] ? ` (${spread[0].toFixed(2)}–${spread[1].toFixed(2)})` : '';
  return `${ratio.toFixed(2)}${range}`;
}

/**
 * A row is `{ figure, unit, floor, ours, ratio, spread, target: { least } or { most }, limit, non2xx, note }`: `target`
 * applies to the ratio, `limit` to the service's own amount.
 */
const cells = (row) => [
  row.figure,
  amount(row.floor, row.unit),
  amount(row.ours, row.unit),
  ratioText(row),
  targetText(row),
  verdict(row),
];

const HEAD = ['figure', 'floor', 'ours', 'ratio', 'target', 'ok'];

export const toLine = (row) => cells(row).join(' | ');

export function toTable(rows) {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const aligned = (line) => `| ${line.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  return [aligned(HEAD), aligned(widths.map((width) => '-'.repeat(width))), ...lines.slice(1).map(aligned)].join('\n');
}

export function printReport({ rows, facts, fills, failures }) {
  const factLine = Object.entries(facts).map(([name, value]) => `${name}: ${value}`);
  console.log(`\n${factLine.join(' · ')}\n\n${toTable(rows)}\n`);
  for (const { figure, note } of rows) if (note) console.log(`- ${figure}: ${note}`);
  for (const { name, per_s, how } of fills) if (per_s) console.log(`- filling ${name}: ${number(per_s)} ${how}`);
  for (const { name, message } of failures) console.log(`- ${name} failed: ${message}`);
}

export function writeJson(file, report) {
  const rows = report.rows.map((row) => ({ ...row, ok: verdict(row) }));
  writeFileSync(file, `${JSON.stringify({ ...report, rows }, null, 2)}\n`);
}
