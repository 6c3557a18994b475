import type { judgeShapes } from '@mem-service/server/module';
import { parseJsonPath } from './json-path.ts';
import { countProperties, patternCost } from './pattern-cost.ts';

export type DefinitionProblem = { path: string; message: string };

/** All active judges of an account, hundreds of them, are in memory at once while traces are judged. */
const MAX_CHARS = 65_536;

/** What the schema of a definition does not check: its length, paths, patterns, and values that are needed. */
export function definitionProblems(definition: judgeShapes.JudgeDefinition): DefinitionProblem[] {
  const { length } = JSON.stringify(definition);
  if (length > MAX_CHARS)
    return [{ path: 'definition', message: `has ${length} characters as JSON, more than ${MAX_CHARS}` }];
  const checks = checksOf(definition);
  const properties = checks.reduce((sum, { check }) => sum + countProperties(patternOf(check)), 0);
  if (properties > MAX_PROPERTIES_OF_ALL) {
    const message = `its regular expressions have ${properties} properties like \\p{L}, more than ${MAX_PROPERTIES_OF_ALL}`;
    return [{ path: 'definition', message }];
  }
  return checks.flatMap(({ at, check }) =>
    problemsOf(check).map(({ path, message }) => ({ path: `${at}.${path}`, message })),
  );
}

type PlacedCheck = { at: string; check: judgeShapes.SimpleCheck };

function checksOf(definition: judgeShapes.JudgeDefinition): PlacedCheck[] {
  const { when } = definition;
  const first = when ? simpleIn('definition.when', when) : [];
  if (definition.kind === 'code')
    return [...first, ...definition.checks.flatMap((check, i) => simpleIn(`definition.checks.${i}`, check))];
  if (definition.kind === 'rubric')
    return [...first, ...definition.items.flatMap(({ check }, i) => simpleIn(`definition.items.${i}.check`, check))];
  return first;
}

function simpleIn(at: string, check: judgeShapes.TraceCheck): PlacedCheck[] {
  if (check.check !== 'any_of' && check.check !== 'all_of') return [{ at, check }];
  return check.of.map((one, i) => ({ at: `${at}.of.${i}`, check: one }));
}

function patternOf(check: judgeShapes.SimpleCheck): string {
  if (check.check === 'pattern') return check.pattern;
  return check.check === 'json_path' && check.op === 'matches' ? String(check.value) : '';
}

const NUMERIC = ['less', 'at_most', 'greater', 'at_least'];

function problemsOf(check: judgeShapes.SimpleCheck): DefinitionProblem[] {
  if (check.check === 'pattern') return patternProblems('pattern', check.pattern, check.ignore_case);
  if (check.check === 'tool_required' && check.max !== undefined && check.max < check.min)
    return [{ path: 'max', message: 'is less than min' }];
  if (check.check === 'order' && (check.tools === undefined) === (check.steps === undefined))
    return [{ path: 'steps', message: 'either steps or tools is needed, and not both' }];
  if (check.check !== 'json_path') return [];
  const path = parseJsonPath(check.path);
  const { op, value } = check;
  return [
    ...(typeof path === 'string' ? [{ path: 'path', message: path }] : []),
    ...(op !== 'exists' && value === undefined ? [{ path: 'value', message: `is needed for ${op}` }] : []),
    ...(NUMERIC.includes(op) && value !== undefined && typeof value !== 'number'
      ? [{ path: 'value', message: `must be a number for ${op}` }]
      : []),
    ...(op === 'matches' && value !== undefined ? patternProblems('value', value, false) : []),
  ];
}

function patternProblems(path: string, pattern: unknown, ignoreCase: boolean): DefinitionProblem[] {
  if (typeof pattern !== 'string' || pattern.length > MAX_PATTERN_CHARS)
    return [{ path, message: `must be a regular expression of at most ${MAX_PATTERN_CHARS} characters` }];
  if (countProperties(pattern) > MAX_PROPERTIES) return [{ path, message: TOO_BRANCHED }];
  try {
    new RegExp(pattern, ignoreCase ? 'iu' : 'u');
    return patternCost(pattern).branches > MAX_BRANCHES ? [{ path, message: TOO_BRANCHED }] : [];
  } catch (error) {
    return [{ path, message: `is not a regular expression: ${(error as Error).message}` }];
  }
}

const MAX_PATTERN_CHARS = 512;
/** With as many the engine has prepared a pattern within some milliseconds. */
export const MAX_BRANCHES = 4096;
/** As many properties, \p{…}, are prepared in some milliseconds, of one pattern and of all that are checked at once. */
export const MAX_PROPERTIES = 20;
const MAX_PROPERTIES_OF_ALL = 200;
export const TOO_BRANCHED = 'has too many parts in a row that may match in several ways';
