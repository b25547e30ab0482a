"""What a model judge is told: the published prompts, ours, or the user's file."""

from judges.prompts.loading import load_prompt
from judges.prompts.prompt import JudgePrompt, PromptError

__all__ = ["JudgePrompt", "PromptError", "load_prompt"]
