"""Architectures: one file each, stating the layer and the laws that follow."""

from asympt.architectures.block_resnet import BlockResNet
from asympt.architectures.conv_resnet import ConvResNet
from asympt.architectures.convnet import ConvNet
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.mlp import MLP
from asympt.architectures.resnet import ResNet
from asympt.architectures.scaled_resnet import ScaledResNet

__all__ = ["MLP", "BlockResNet", "ConvNet", "ConvResNet", "FeedForward", "ResNet", "ScaledResNet"]
