import type { Toolset } from '@mem-service/contract';
import * as z from 'zod';
import { inputSchema, type Shape } from './json-schema.ts';
import { argumentError, problemOf, refusal } from './refusals.ts';
import { plainMessage, unquoted } from './rules/arguments.ts';
import type { JsonObject, McpSession } from './session.ts';
import { once, type Tool, type ToolAnnotations, type ToolAnswer, type ToolCallContext } from './tool.ts';

type OwnTool<S extends Shape> = {
  name: `mem_${string}`;
  toolset: Toolset;
  description: string;
  input: S;
  about?: Readonly<Record<string, string>>;
  annotations: ToolAnnotations;
  onlyNearby?: true;
  run(
    input: z.output<z.ZodObject<S>>,
    session: McpSession,
    call: ToolCallContext,
  ): Promise<ToolAnswer | JsonObject> | ToolAnswer | JsonObject;
};

/** Declares a tool that is not a single operation of the service. */
export function ownTool<const S extends Shape>(own: OwnTool<S>): Tool {
  const { name, toolset, description, annotations, onlyNearby } = own;
  const shape = z.strictObject(own.input);
  const listed = once(() => ({
    name,
    description,
    inputSchema: inputSchema(own.input, { about: own.about ?? {} }),
    annotations,
  }));
  return {
    name,
    toolset,
    ...(onlyNearby ? { onlyNearby } : {}),
    listed,
    async run(args, session, call) {
      const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
      const parsed = shape.safeParse(unquoted(given, listed().inputSchema.properties));
      if (!parsed.success) return wrongArgument(parsed.error, name, Object.keys(own.input));
      try {
        const answer = await own.run(parsed.data as z.output<z.ZodObject<S>>, session, call);
        return 'json' in answer ? (answer as ToolAnswer) : { json: answer };
      } catch (error) {
        const problem = problemOf(error);
        if (problem) return refusal(problem);
        throw error;
      }
    },
  };
}

function wrongArgument({ issues }: z.ZodError, tool: string, known: readonly string[]): ToolAnswer {
  const [issue] = issues;
  if (issue?.code === 'unrecognized_keys') {
    const takes = known.length === 0 ? 'takes no arguments' : `it takes ${known.join(', ')}`;
    return argumentError(issue.keys[0] as string, `is not an argument of ${tool}; ${takes}`);
  }
  return argumentError(
    issue?.path.map(String).join('.') || 'arguments',
    plainMessage(issue?.message ?? 'are not valid'),
  );
}
