import type { ModelView } from "@/api/types";

const SCRIPTED = "scripted/";

/** By name or by alias, as the server looks it up. */
export function findModel(models: readonly ModelView[], name: string): ModelView | undefined {
  return (
    models.find((model) => model.name === name) ??
    models.find((model) => model.aliases.includes(name)) ??
    models.find((model) => model.model_id === name)
  );
}

export function isChosen(model: ModelView, chosen: readonly string[]): boolean {
  return chosen.some((name) => isCalled(model, name));
}

export function isCalled(model: ModelView, name: string): boolean {
  return model.name === name || model.aliases.includes(name) || model.model_id === name;
}

/** Models whose price somebody has to say before a cap in dollars can hold. */
export function unpriced(models: readonly ModelView[], chosen: readonly string[]): string[] {
  return chosen.filter((name) => !name.startsWith(SCRIPTED) && !findModel(models, name)?.price);
}

/** All words of the query, anywhere in the name, an alias or who answers it. */
export function matching(models: readonly ModelView[], query: string): ModelView[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter((model) => {
    const text = [model.name, model.provider, ...model.aliases].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What is wrong with it as the name of a model; null: nothing. */
export function nameTrouble(name: string): string | null {
  if (/\s/.test(name)) return "a model name has no spaces, as in vendor/name";
  if (name.length > 300) return "a model name has at most 300 characters";
  return null;
}

export function dollars(amount: number): string {
  if (amount === 0) return "$0";
  return `$${amount >= 0.1 ? amount.toFixed(2) : String(Number(amount.toPrecision(2)))}`;
}
