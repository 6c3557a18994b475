import type { judgeShapes } from '@mem-service/server/module';

type JudgedOnce = { judge_result: string; model_call: string | null };

/** Whether a verdict only says that a model could not be asked, or gave no usable answer: it may be asked again. */
export function isOpen({ judge_result, model_call }: JudgedOnce): boolean {
  if (model_call === null) return false;
  const { attempts } = JSON.parse(model_call) as judgeShapes.JudgeModelCall;
  return judge_result === 'error' || attempts === 0;
}
