import * as z from 'zod';
import { operation } from '../operation.ts';
import * as p from '../pattern-shapes.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const about = { module: 'patterns', admin: true, whole: true } as const;
const PATTERN = '3f1c0e9a5b7d2468ace013579bdf2468';
const SCAN = '01K9Z3V8M6T2Q4X7N5B1C0D9EF';

export const detectedPatterns = {
  'pattern_scans.create': operation({
    summary: 'Look for patterns',
    description:
      'In the background: what fails again and again, what is out of date, what contradicts itself, what waits for somebody. ' +
      '`pattern_scans.read` shows how far it is. Scans run one after the other, and up to ten wait. Patterns that it does not find any more are ' +
      'cleared; those that were resolved stay so until there is newer evidence.',
    ...about,
    effect: 'write',
    cost: 2,
    http: {
      method: 'POST',
      path: '/api/v1/admin/patterns/scan',
      status: 201,
      location: '/api/v1/admin/pattern-scans/{scan_id}',
    },
    cli: { args: ['entity_path'], alias: 'scan-patterns' },
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob.optional().meta({ description: 'Only entries there; default: everything.' }),
        for_agent: s.agentId.optional().meta({ description: 'Only patterns that concern this agent.' }),
        ...p.scanSettings,
        session_id: s.sessionId.optional(),
      }),
    output: () => p.patternScan,
    errors: ['forbidden', 'conflict', 'module_not_installed'],
    example: () => ({ entity_path: 'checkout/**' }),
  }),

  'pattern_scans.list': operation({
    summary: 'List scans for patterns',
    description: 'Newest first.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/admin/pattern-scans' },
    cli: { alias: 'pattern-scans' },
    input: () => z.strictObject({ limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ scans: z.array(p.patternScan), ...s.page }),
    errors: ['forbidden', 'invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({}),
  }),

  'pattern_scans.read': operation({
    summary: 'See how far a scan for patterns is',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/admin/pattern-scans/{scan_id}' },
    cli: { args: ['scan_id'], alias: 'show-scan' },
    input: () => z.strictObject({ scan_id: p.scanId }),
    output: () => p.patternScan,
    errors: ['forbidden', 'not_found', 'module_not_installed'],
    example: () => ({ scan_id: SCAN }),
  }),

  'pattern_scans.cancel': operation({
    summary: 'Cancel a scan for patterns',
    description: 'What it found stays, and it clears nothing. One that has ended stays as it is.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/admin/pattern-scans/{scan_id}/cancel' },
    cli: { args: ['scan_id'], alias: 'cancel-scan' },
    input: () => z.strictObject({ scan_id: p.scanId }),
    output: () => p.patternScan,
    errors: ['forbidden', 'not_found', 'module_not_installed'],
    example: () => ({ scan_id: SCAN }),
  }),

  'detected_patterns.list': operation({
    summary: 'List patterns that were found',
    description:
      'Critical ones first, then warnings, then the others; newest first among these. Those about a branch that the key may not read ' +
      'are left out, and so are those of which nothing can be seen any more.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/admin/patterns' },
    cli: { alias: 'detected-patterns' },
    input: () =>
      z.strictObject({
        pattern_type: p.patternType.optional(),
        category: p.patternCategory.optional().meta({ description: 'Only patterns of this kind.' }),
        severity: p.patternSeverity.optional().meta({ description: 'Only patterns as severe as this.' }),
        status: p.patternStatus.optional(),
        resolved: z
          .boolean()
          .optional()
          .meta({ description: 'Only patterns that somebody resolved, or only all others.' }),
        entity_path: s.pathGlob.optional().meta({ description: 'Only patterns at these paths.' }),
        agent_id: s.agentId.optional().meta({ description: 'Only patterns that concern this agent.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ patterns: z.array(p.detectedPattern), ...s.page }),
    errors: ['forbidden', 'invalid_cursor', 'module_not_installed'],
    example: () => ({}),
  }),

  'detected_patterns.read': operation({
    summary: 'Read a pattern with its evidence',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/admin/patterns/{pattern_id}' },
    cli: { args: ['pattern_id'], alias: 'show-pattern' },
    input: () => z.strictObject({ pattern_id: p.patternId }),
    output: () => p.detectedPattern.extend(p.patternEvidence).meta({ id: 'DetectedPatternWithEvidence' }),
    errors: ['forbidden', 'not_found', 'module_not_installed'],
    example: () => ({ pattern_id: PATTERN }),
  }),

  'detected_patterns.resolve': operation({
    summary: 'Resolve a pattern',
    description:
      'It stays resolved, whatever later scans find, until there is evidence that is newer than the resolution. Resolving one that is ' +
      'resolved changes nothing.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'PATCH', path: '/api/v1/admin/patterns/{pattern_id}/resolve' },
    cli: { args: ['pattern_id'], alias: 'resolve-pattern' },
    input: () =>
      z.strictObject({
        pattern_id: p.patternId,
        reason: s.text(1024).default('').meta({ description: 'What was done about it.' }),
        ...author,
      }),
    output: () => p.detectedPattern,
    errors: ['forbidden', 'not_found', 'module_not_installed'],
    example: () => ({ pattern_id: PATTERN, reason: 'the entries were merged' }),
  }),
};
